import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

/// The responses that one `URLCache` keeps, for all sessions that use it.
///
/// Looking one up may read the disk, so it never happens on a thread that must not wait. URLs for which nothing is kept are remembered for
/// a second, so that requests whose responses are not kept cost no more than without a cache.
final class ResponseCache: Sendable {
  private let store: CacheStore
  /// Lookups run beside each other and beside the changes, which Foundation makes slowly, one after another.
  private let lookups = DispatchQueue(label: "af.cache.lookups", attributes: .concurrent)
  private let changes = DispatchQueue(label: "af.cache.changes")
  private let state = Locked(State())

  private struct State {
    /// Until when nothing is assumed to be kept for a URL.
    var absences: [String: MonotonicTime] = [:]
    /// How many changes wait for their turn, by URL.
    var waiting: [String: Int] = [:]
    var backlog = StoreBacklog()
    var ledger = InvalidationLedger()
    /// What is being asked for beside the tasks.
    var revalidations: Set<String> = []
  }

  private static let absenceLimit = 4096
  private static let absenceDuration = 1.0

  init(_ cache: URLCache) { store = CacheStore(cache) }

  // MARK: Reading

  /// Whether a moment ago nothing was kept for the URL.
  func isKnownToLack(_ url: String) -> Bool {
    state.withLock { state in
      guard let end = state.absences[url] else { return false }
      return .now < end
    }
  }

  /// Looks for what is kept for a request of a URL. `thorough`: as far as Foundation can tell, at any cost.
  func find(_ url: String, _ sent: SentFields, thorough: Bool, _ answer: @escaping @Sendable (StoredResponse?) -> Void)
  {
    // Who has changed something sees it.
    let isChanging = state.withLock { $0.waiting[url] != nil }
    (isChanging ? changes : lookups).async { [self] in
      switch store.find(url, sent, thorough: thorough) {
      case .nothing:
        noteAbsence(url)
        answer(nil)
      case .forOthers: answer(nil)
      case .found(let found, let key):
        if let key { changes.async { self.store.recall(key, url) } }
        answer(found)
      }
    }
  }

  private func noteAbsence(_ url: String) {
    state.withLock { state in
      guard state.waiting[url] == nil else { return }
      if state.absences.count >= Self.absenceLimit { state.absences = [:] }
      state.absences[url] = .now + Self.absenceDuration
    }
  }

  // MARK: Writing

  /// Runs `work` where it may wait, with the size of the largest body that is kept.
  func prepare(_ work: @escaping @Sendable (_ sizeLimit: Int) -> Void) {
    lookups.async { [self] in work(store.sizeLimit) }
  }

  /// The present moment in the order of changes.
  var moment: InvalidationLedger.Moment { state.withLock { $0.ledger.now } }

  /// Keeps a response that was asked for at `moment`, in the place of the one that `old` selects. Whoever looks for it from now on finds it.
  func keep(
    _ response: StoredResponse, for url: String, since moment: InvalidationLedger.Moment, replacing old: String? = nil
  ) { keep(for: url, size: response.cached.data.count, since: moment, replacing: old) { _ in response } }

  /// Keeps what `make` makes, where it may take its time, out of the size of the largest body that is kept. If that is nothing, what there
  /// was is out of date all the same. What was asked for before its URL was changed is not kept.
  func keep(
    for url: String, size: Int, since moment: InvalidationLedger.Moment, replacing old: String? = nil,
    _ make: @escaping @Sendable (_ sizeLimit: Int) -> StoredResponse?
  ) {
    let place = state.withLock { state -> StoreBacklog.Place in
      state.absences[url] = nil
      return state.backlog.add(size)
    }
    change(url) { [self] in
      defer { state.withLock { $0.backlog.remove(size) } }
      guard state.withLock({ $0.ledger.isUnchanged(url, since: moment) }) else { return }
      guard place != .nowhere, let response = make(store.sizeLimit) else { return store.remove(url) }
      let isCrowded = place == .inMemoryIfItFits && store.memoryHolds(response.cached.data.count)
      store.store(isCrowded ? response.inMemoryOnly : response, for: url, replacing: old)
    }
  }

  /// The resource of a URL has been changed: what is kept for it goes, and so does what is on its way.
  func invalidate(_ url: String) {
    state.withLock { $0.ledger.note(url) }
    remove(url)
  }

  /// Brings what is kept up to date with the answer to a HEAD, or drops it (RFC 9111 §4.3.5).
  func freshen(
    _ url: String, _ sent: SentFields, with head: ResponseHead, requested: Double, received: Double,
    since moment: InvalidationLedger.Moment
  ) {
    guard head.statusCode == 200, !isKnownToLack(url) else { return }
    change(url) { [self] in
      guard case .found(let stored, _) = store.find(url, sent, thorough: false),
        state.withLock({ $0.ledger.isUnchanged(url, since: moment) })
      else { return }
      switch CacheHeadAnswer(head, to: stored.rules, length: stored.cached.data.count) {
      case .none: break
      case .updates:
        let fresh = stored.refreshed(by: head, requested: requested, received: received, sent)
        guard let fresh, fresh.rules.isStorable else { return store.remove(url, stored.selector) }
        store.store(fresh, for: url, replacing: stored.selector)
      case .outdates: store.remove(url, stored.selector)
      }
    }
  }

  /// Drops what is kept for a URL, for whatever requests.
  func remove(_ url: String) {
    guard !isKnownToLack(url) else { return }
    change(url) { [self] in store.remove(url) }
  }

  /// Drops what is kept for a URL and the requests that this selects.
  func remove(_ url: String, _ selector: String?) {
    guard !isKnownToLack(url) else { return }
    change(url) { [self] in store.remove(url, selector) }
  }

  private func change(_ url: String, _ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.waiting[url, default: 0] += 1 }
    changes.async { [self] in
      work()
      state.withLock { state in
        let rest = (state.waiting[url] ?? 1) - 1
        state.waiting[url] = rest > 0 ? rest : nil
      }
    }
  }

  // MARK: Asking beside the tasks

  /// - Returns: False if that is being asked already.
  func beginRevalidation(_ name: String) -> Bool { state.withLock { $0.revalidations.insert(name).inserted } }

  func endRevalidation(_ name: String) { _ = state.withLock { $0.revalidations.remove(name) } }

  // MARK: One for each URLCache

  private struct Entry { weak var cache: ResponseCache? }

  private static let caches = Locked<[ObjectIdentifier: Entry]>([:])

  /// The one of `cache`, which is the same for all sessions.
  static func of(_ cache: URLCache) -> ResponseCache {
    // Made first: nothing is called while the lock is held.
    let new = ResponseCache(cache)
    return caches.withLock { caches in
      if let known = caches[ObjectIdentifier(cache)]?.cache { return known }
      caches = caches.filter { $0.value.cache != nil }
      caches[ObjectIdentifier(cache)] = Entry(cache: new)
      return new
    }
  }
}
