package import AFTransport
import Foundation
import FoundationNetworking

/// What RFC 9111 says about one response in a private cache: how old it is, and for how long it is fresh. Whether it may be kept stands in
/// `CacheRules+Keeping.swift`, what a server's answer means for it in `CacheAnswer.swift`. All times are seconds since 1970.
package struct CacheRules: Sendable {
  package let head: ResponseHead
  /// When the request was sent and the response came; nil for a response of which nobody noted it.
  let requested: Double?
  let received: Double?
  package let control: CacheControl

  package init(_ head: ResponseHead, requested: Double? = nil, received: Double? = nil) {
    self.head = head
    // What was noted comes out of a file.
    self.requested = requested.flatMap { $0.isFinite ? $0 : nil }
    self.received = received.flatMap { $0.isFinite ? $0 : nil }
    control = Self.control(head)
  }

  private static func control(_ head: ResponseHead) -> CacheControl {
    let values = head.values("Cache-Control")
    var control = CacheControl(values)
    // For servers of HTTP/1.0 (RFC 9111 §5.4).
    if values.isEmpty, head.values("Pragma").contains(where: \.isNoCachePragma) { control.noCache = true }
    return control
  }

  // MARK: Freshness

  /// A guess is never trusted for longer than a day.
  static let heuristicLimit: Double = 86_400

  /// For how many seconds since it was made the response is fresh (RFC 9111 §4.2.1, §4.2.2). Of a field that comes twice the first
  /// counts; what cannot be read is over.
  package var lifetime: Double {
    if let maxAge = control.maxAge { return maxAge }
    if let expires = head.value("Expires") {
      guard let end = moment(expires), let start = made else { return 0 }
      return max(0, end - start)
    }
    guard isHeuristicallyCacheable || control.isPublic, let modified = head.value("Last-Modified").flatMap(moment),
      let start = made
    else { return 0 }
    return min(max(0, (start - modified) / 10), Self.heuristicLimit)
  }

  /// When the response was made: its Date, or else when it came.
  private var made: Double? { date ?? received }
  private var date: Double? { head.value("Date").flatMap(moment) }

  private func moment(_ text: String) -> Double? {
    received.map { HTTPDate.seconds(text, now: $0) } ?? HTTPDate.seconds(text)
  }

  // MARK: Age

  /// The response's age (RFC 9111 §4.2.3); nil if it cannot be told, also because the clock was set back.
  package func age(at now: Double) -> Double? {
    guard let received = received ?? date, now >= received else { return nil }
    return ageOnArrival + (now - received)
  }

  /// `corrected_initial_age`.
  private var ageOnArrival: Double {
    guard let received = received ?? date else { return 0 }
    let apparent = max(0, received - (date ?? received))
    return max(apparent, toldAge + max(0, received - (requested ?? received)))
  }

  /// The value of `Age` (§5.1): the first member of what should be one number; 0 if that is none.
  private var toldAge: Double {
    let members = head.values("Age").lazy.flatMap { $0.split(separator: ",") }.map(\.trimmed)
    return members.first { !$0.isEmpty }.flatMap(DeltaSeconds.init)?.value ?? 0
  }

  /// The head that answers a request at `now`: it carries the response's age (§4, §5.1), and no field that may not be used again without
  /// asking. Where the server has just confirmed the response, an age is told only if a cache on the way has told one: it would mean that
  /// the server was not asked.
  package func served(at now: Double, isConfirmed: Bool) -> ResponseHead {
    let dropped = isConfirmed ? ["age"] : control.noCacheFields.union(["age"])
    var fields = head.fields.filter { !dropped.contains($0.name.lowercased()) }
    if !isConfirmed || head.value("Age") != nil, received != nil || date != nil {
      let age = age(at: now) ?? ageOnArrival
      fields.append(("Age", "\(Int(max(0, min(age, DeltaSeconds.limit))))"))
    }
    return ResponseHead(status: head.statusCode, fields: fields, version: head.httpVersion)
  }

  // MARK: Use

  /// Whether the response may be used without asking the server, for a request with these directives (§4.2, §5.2.1).
  package func isUsable(at now: Double, for request: CacheControl) -> Bool {
    guard !forbidsUse, !request.forbidsUse, let age = age(at: now) else { return false }
    if let maxAge = request.maxAge, age > maxAge { return false }
    let rest = lifetime - age
    if rest > (request.minFresh ?? 0) { return true }
    guard !control.mustRevalidate, let tolerance = request.maxStale else { return false }
    return -rest <= tolerance && request.minFresh == nil
  }

  /// Whether the response is fresh, whatever the request says.
  func isFresh(at now: Double) -> Bool { isUsable(at: now, for: CacheControl()) }

  /// Whether the response may be used though it is stale, while the server is asked (RFC 5861 §3).
  package func isUsable(whileRevalidatingAt now: Double, for request: CacheControl) -> Bool {
    guard let tolerance = control.staleWhileRevalidate, tolerance > 0, !control.mustRevalidate, !forbidsUse,
      !request.forbidsUse, request.minFresh == nil, let age = age(at: now)
    else { return false }
    if let maxAge = request.maxAge, age > maxAge { return false }
    return age - lifetime <= min(tolerance, request.maxStale ?? .infinity)
  }

  /// Whether the response may stand in for an error (RFC 5861 §4), as it or the request says.
  package func isUsable(afterErrorAt now: Double, for request: CacheControl) -> Bool {
    guard !control.mustRevalidate, !forbidsUse, !request.forbidsUse, let age = age(at: now),
      let tolerance = [control.staleIfError, request.staleIfError].compactMap({ $0 }).max()
    else { return false }
    return age - lifetime <= tolerance
  }

  /// Whether the response itself wants the server to be asked each time.
  private var forbidsUse: Bool { control.noCache || forbidsKeeping }
}

extension CacheControl {
  /// Whether a request with these directives wants the server to be asked. There `no-cache` has no argument.
  fileprivate var forbidsUse: Bool { noCache || !noCacheFields.isEmpty }
}

extension String {
  /// Whether this value of `Pragma` has the one word that means something (RFC 9111 §5.4).
  var isNoCachePragma: Bool { CacheDirective.all(in: self).contains { $0.name == "no-cache" } }
}
