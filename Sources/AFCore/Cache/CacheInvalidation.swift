import AFSupport
import AFTransport

/// What a change of the server's state makes of what is kept (RFC 9111 §4.4).
enum CacheInvalidation {
  /// Methods that change nothing (RFC 9110 §9.2.1). Of a method that is not known it must be assumed that it does.
  private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

  /// The URLs, without fragments, for which nothing that is kept is true any more.
  static func urls(after request: HopRequest, _ head: ResponseHead) -> [String] {
    // Looked at for each response, so nothing is made of a GET.
    guard !safeMethods.contains(request.method), (200..<400).contains(head.statusCode) else { return [] }
    let own = request.url.withoutFragment
    let named = ["Location", "Content-Location"].compactMap { name -> String? in
      guard let value = head.value(name), let target = Redirect.target(value, from: request.url),
        Origin.areSame(target, request.url)
      else { return nil }
      return target.withoutFragment
    }
    return [own] + named.filter { $0 != own }
  }
}

/// Which URLs have been changed since when: what was on its way then may be older than the change, and is not kept.
struct InvalidationLedger: Sendable {
  /// A moment in the order of changes.
  struct Moment: Comparable, Sendable {
    fileprivate var number: UInt64
    static func < (left: Moment, right: Moment) -> Bool { left.number < right.number }
  }

  private(set) var now = Moment(number: 0)
  private var changes: [String: Moment] = [:]
  /// All that began before is taken for older than a change, since these have been forgotten.
  private var horizon = Moment(number: 0)

  static let limit = 4096

  /// A URL has been changed.
  mutating func note(_ url: String) {
    now.number &+= 1
    if changes.count >= Self.limit {
      changes = [:]
      horizon = now
    }
    changes[url] = now
  }

  /// Whether the URL has been left alone since.
  func isUnchanged(_ url: String, since moment: Moment) -> Bool {
    moment >= horizon && moment >= (changes[url] ?? moment)
  }
}
