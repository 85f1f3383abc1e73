import AFTransport
import Foundation
import FoundationNetworking

/// What RFC 9111 says about one response in a private cache: whether it may be kept, how old it is, and for how long it is
/// fresh. All times are seconds since 1970.
struct CacheRules: Sendable {
  let head: ResponseHead
  /// When the request was sent and the response came; nil for a response of which nobody noted it.
  let requested: Double?
  let received: Double?
  let control: CacheControl

  init(_ head: ResponseHead, requested: Double? = nil, received: Double? = nil) {
    self.head = head
    self.requested = requested
    self.received = received
    control = Self.control(head)
  }

  /// Statuses whose responses may be kept without being told so (RFC 9110 §15.1), but for redirects, which are followed and
  /// not kept, and for parts.
  private static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 404, 405, 410, 414, 501]

  private static func control(_ head: ResponseHead) -> CacheControl {
    var control = CacheControl(head.values("Cache-Control"))
    // For servers of HTTP/1.0 (RFC 9111 §5.4).
    if head.value("Cache-Control") == nil, head.value("Pragma")?.lowercased().contains("no-cache") == true {
      control.noCache = true
    }
    return control
  }

  // MARK: Keeping

  /// Whether the response to a GET may be kept (RFC 9111 §3).
  var isStorable: Bool {
    guard !control.noStore, !Self.variesOnAll(head) else { return false }
    if Self.heuristicallyCacheable.contains(head.statusCode) { return true }
    switch head.statusCode {
    // Interim responses, parts, redirects and challenges; 304 is about another response.
    case ..<200, 206, 301...399, 401, 407, 600...: return false
    default: return control.maxAge != nil || control.isPublic || head.value("Expires") != nil
    }
  }

  /// Whether a kept response could ever be of use under the protocol's rules: it is fresh for a while, or can be confirmed.
  var isUseful: Bool { hasValidator || lifetime > 0 }

  var hasValidator: Bool { head.value("ETag") != nil || head.value("Last-Modified") != nil }

  /// In what requests must agree to have this response; nil if it is for one request alone.
  var variance: CacheVariance? {
    Self.varying(head).map { CacheVariance(names: $0, isPrivate: control.isPrivate) }
  }

  /// The field names of `Vary`, in lower case and order; nil if it says that every request is different.
  static func varying(_ head: ResponseHead) -> [String]? {
    let names = head.values("Vary").flatMap { $0.split(separator: ",") }.map { $0.trimmed.lowercased() }
    return names.contains("*") ? nil : Set(names).subtracting([""]).sorted()
  }

  private static func variesOnAll(_ head: ResponseHead) -> Bool {
    head.value("Vary") != nil && varying(head) == nil
  }

  // MARK: Freshness

  /// A guess is never trusted for longer than a day.
  static let heuristicLimit: Double = 86_400

  /// For how many seconds since it was made the response is fresh (RFC 9111 §4.2.1, §4.2.2).
  var lifetime: Double {
    if let maxAge = control.maxAge { return maxAge }
    if let expires = head.value("Expires") {
      guard let end = HTTPDate.seconds(expires), let start = made else { return 0 }
      return max(0, end - start)
    }
    guard Self.heuristicallyCacheable.contains(head.statusCode) || control.isPublic,
      let modified = head.value("Last-Modified").flatMap(HTTPDate.seconds), let start = made
    else { return 0 }
    return min(max(0, (start - modified) / 10), Self.heuristicLimit)
  }

  /// When the response was made: its Date, or else when it came.
  private var made: Double? { date ?? received }
  private var date: Double? { head.value("Date").flatMap(HTTPDate.seconds) }

  /// The response's age (RFC 9111 §4.2.3); nil if it cannot be told, also because the clock was set back.
  func age(at now: Double) -> Double? {
    guard let received = received ?? date, now >= received else { return nil }
    let apparent = max(0, received - (date ?? received))
    let told = head.value("Age").flatMap { Double(Int64($0) ?? 0) } ?? 0
    let corrected = max(0, told) + max(0, received - (requested ?? received))
    return max(apparent, corrected) + (now - received)
  }

  /// Whether the response may be used without asking the server, for a request with these directives.
  func isUsable(at now: Double, for request: CacheControl) -> Bool {
    guard !control.noCache, !control.noStore, !request.noCache, let age = age(at: now) else { return false }
    if let maxAge = request.maxAge, age > maxAge { return false }
    let rest = lifetime - age
    if rest > (request.minFresh ?? 0) { return true }
    guard !control.mustRevalidate, let tolerance = request.maxStale else { return false }
    return -rest <= tolerance && request.minFresh == nil
  }

  /// Whether the response may stand in for an error (RFC 5861 §4).
  func isUsable(afterErrorAt now: Double) -> Bool {
    guard !control.mustRevalidate, !control.noCache, let tolerance = control.staleIfError, let age = age(at: now)
    else { return false }
    return age - lifetime <= tolerance
  }

  // MARK: Asking the server

  /// The fields that ask whether the response is still good (RFC 9111 §4.3.1).
  var conditions: [TransferRequest.HeaderField] {
    var fields: [TransferRequest.HeaderField] = []
    if let tag = head.value("ETag") { fields.append(.init("If-None-Match", tag)) }
    if let modified = head.value("Last-Modified") { fields.append(.init("If-Modified-Since", modified)) }
    return fields
  }

  /// Whether a 304 speaks of this response (RFC 9111 §4.3.3): its tag, if it has one, is ours.
  func isConfirmed(by answer: ResponseHead) -> Bool {
    guard let tag = answer.value("ETag"), let own = head.value("ETag") else { return true }
    return Self.opaque(tag) == Self.opaque(own)
  }

  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
