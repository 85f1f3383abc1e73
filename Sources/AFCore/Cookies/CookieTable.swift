/// The cookies of a jar, and the rules of RFC 6265bis that look at more than one of them. A value; it knows no clock.
///
/// They stand by domain, so a request looks at those of its host and of the domains above it, however many others there are.
struct CookieTable: Sendable {
  /// How many cookies of servers there may be. Those of the app neither count nor go.
  struct Limits: Sendable {
    /// Of one registered domain with all that lies in it.
    var perSite = 200
    var total = 20_000
  }

  /// What has become of the table.
  enum Change: Equatable {
    case none
    /// Nothing but times.
    case refreshed
    case stored
    case removed
  }

  private struct Entry {
    var cookie: Cookie
    let site: String
    /// Tells which of two cookies of one moment came first.
    let order: UInt64
    var lastUse: UInt64
  }

  private struct Site {
    /// Of servers.
    var count = 0
    var domains: Set<String> = []
  }

  let limits: Limits
  private(set) var count = 0
  private var serversCount = 0
  /// How many cookies have been looked at, for the tests.
  private(set) var lookedAt = 0
  private var entries: [String: [Entry]] = [:]
  private var sites: [String: Site] = [:]
  private var clock: UInt64 = 0

  init(limits: Limits = Limits()) {
    self.limits = limits
  }

  // MARK: Sending (§5.8.3)

  /// The cookies of a request, in their order.
  mutating func cookies(for url: CookieURL, at now: Double) -> [Cookie] {
    guard count > 0 else { return [] }
    var found: [Entry] = []
    for domain in Self.domains(of: url.host) {
      guard let place = entries.index(forKey: domain) else { continue }
      clock += 1
      var hasExpired = false
      for index in entries.values[place].indices {
        lookedAt += 1
        let entry = entries.values[place][index]
        if entry.cookie.isExpired(at: now) {
          hasExpired = true
        } else if entry.cookie.goes(to: url, at: now) {
          entries.values[place][index].lastUse = clock
          found.append(entry)
        }
      }
      if hasExpired { remove(in: domain) { $0.cookie.isExpired(at: now) } }
    }
    return found.sorted { left, right in
      if left.cookie.precedes(right.cookie) { return true }
      return !right.cookie.precedes(left.cookie) && left.order < right.order
    }.map(\.cookie)
  }

  /// The host and every domain above it.
  private static func domains(of host: String) -> [String] {
    var found = [host]
    guard !CookieMatching.isAddress(host) else { return found }
    var rest = host[...]
    while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.utf8.index(after: dot)...]
      if !rest.isEmpty { found.append(String(rest)) }
    }
    return found
  }

  // MARK: Storing (§5.7)

  /// Takes a server's cookie in, or removes the one whose place it takes if it has expired. `removed` is called with each
  /// cookie that had to go to make room.
  mutating func store(
    _ cookie: Cookie, from url: CookieURL, at now: Double, removed: (Cookie) -> Void = { _ in }
  ) throws(CookieRefusal) -> Change {
    if !cookie.isSecure, !url.isSecure, hidesSecure(cookie) { throw .hidesSecure }
    var cookie = cookie
    let old = entry(like: cookie)
    if let old { cookie.creation = old.cookie.creation }
    if cookie.isExpired(at: now) { return remove(cookie) }
    let change = old.map { Self.change(from: $0.cookie, to: cookie) } ?? .stored
    if change != .none { insert(cookie, order: old?.order) }
    makeRoom(beside: cookie, at: now, removed)
    return change
  }

  private static func change(from old: Cookie, to new: Cookie) -> Change {
    if old == new { return .none }
    var refreshed = old
    refreshed.expires = new.expires
    return refreshed == new && old.expires != nil && new.expires != nil ? .refreshed : .stored
  }

  /// Whether an insecure cookie would stand before a Secure one of its name, or in its place.
  private func hidesSecure(_ cookie: Cookie) -> Bool {
    // Those of the domains above it, and those of the whole site, of which some may lie beneath it.
    let beneath = sites[PublicSuffixes.shared.registrableDomain(of: cookie.domain)]?.domains ?? []
    return beneath.union(Self.domains(of: cookie.domain)).contains { domain in
      (entries[domain] ?? []).contains { entry in
        let other = entry.cookie
        return other.isSecure && other.name.utf8.elementsEqual(cookie.name.utf8)
          && (CookieMatching.domain(other.domain, in: cookie.domain)
            || CookieMatching.domain(cookie.domain, in: other.domain))
          && CookieMatching.path(cookie.path, in: other.path)
      }
    }
  }

  // MARK: The cookies of the app

  /// Takes a cookie in by the app's word.
  mutating func put(_ cookie: Cookie) {
    insert(cookie, order: nil)
  }

  /// Removes the cookie that has this one's place.
  @discardableResult
  mutating func remove(_ cookie: Cookie) -> Change {
    var isThere = false
    remove(in: cookie.domain) { entry in
      guard entry.cookie.isSame(as: cookie) else { return false }
      isThere = true
      return true
    }
    return isThere ? .removed : .none
  }

  /// The cookie that has this one's place.
  func cookie(like cookie: Cookie) -> Cookie? { entry(like: cookie)?.cookie }

  private func entry(like cookie: Cookie) -> Entry? {
    entries[cookie.domain]?.first { $0.cookie.isSame(as: cookie) }
  }

  private mutating func insert(_ cookie: Cookie, order: UInt64?) {
    remove(cookie)
    clock += 1
    let site = PublicSuffixes.shared.registrableDomain(of: cookie.domain)
    entries[cookie.domain, default: []].append(
      Entry(cookie: cookie, site: site, order: order ?? clock, lastUse: clock))
    sites[site, default: Site()].domains.insert(cookie.domain)
    count += 1
    if !cookie.isApps {
      sites[site]?.count += 1
      serversCount += 1
    }
  }

  private mutating func remove(in domain: String, where isUnwanted: (Entry) -> Bool) {
    guard var own = entries[domain], let site = own.first?.site else { return }
    let before = own.count
    var servers = 0
    own.removeAll { entry in
      guard isUnwanted(entry) else { return false }
      if !entry.cookie.isApps { servers += 1 }
      return true
    }
    guard own.count < before else { return }
    count -= before - own.count
    serversCount -= servers
    sites[site]?.count -= servers
    entries[domain] = own.isEmpty ? nil : own
    if own.isEmpty { sites[site]?.domains.remove(domain) }
    if sites[site]?.domains.isEmpty == true { sites[site] = nil }
  }

  // MARK: Making room

  /// Holds the limits, by a tenth more than is needed, so that it is seldom done. Expired cookies go first; of a site then those that are
  /// not Secure; among equals those that have not been sent for longest.
  private mutating func makeRoom(beside cookie: Cookie, at now: Double, _ removed: (Cookie) -> Void) {
    let site = PublicSuffixes.shared.registrableDomain(of: cookie.domain)
    if let own = sites[site], own.count > limits.perSite {
      thin(own.domains.flatMap { entries[$0] ?? [] }, to: limits.perSite * 9 / 10, removed) { entry in
        entry.cookie.isExpired(at: now) ? 0 : entry.cookie.isSecure ? 2 : 1
      }
    }
    if serversCount > limits.total {
      thin(entries.values.flatMap(\.self), to: limits.total * 9 / 10, removed) { entry in
        entry.cookie.isExpired(at: now) ? 0 : 1
      }
    }
  }

  private mutating func thin(
    _ candidates: [Entry], to number: Int, _ removed: (Cookie) -> Void, rank: (Entry) -> Int
  ) {
    let servers = candidates.filter { !$0.cookie.isApps }
      .sorted { (rank($0), $0.lastUse) < (rank($1), $1.lastUse) }
    for entry in servers.prefix(max(0, servers.count - number)) {
      remove(entry.cookie)
      removed(entry.cookie)
    }
  }
}
