import AFSecurity
import AFSupport
import AFTransport

/// What a task has learned on its way from hop to hop, and how often it may still go on: redirects, credentials, the token, the cache,
/// the network's absence. One value, with the limits, beside the task's own state.
///
/// ``HopStart`` takes from it what a hop carries, ``FollowUp`` decides by it what follows. It belongs to the hop that runs, or to the
/// one question between two hops: nothing else changes it meanwhile.
struct HopLedger: Sendable {
  /// More redirects than these, one after another, are a loop.
  static let redirectLimit = 20
  /// So many tokens may be refused.
  static let tokenLimit = 3

  /// Redirects so far.
  var redirects = 0
  /// How many there had been when the present chain of hops began.
  var firstRedirect = 0
  /// How far each server, and the proxy, has been answered.
  var authentication: [Asker: AskerLedger] = [:]
  /// Digests of the current body, for answers that cover it.
  var bodyDigests: [Digest.Algorithm: String] = [:]
  var token = TokenLedger()
  var caching = HopCaching()
  /// The cookies that the storage has to show before the completion runs.
  var cookies: CookieTicket?
  /// Whether a failure that a missing network causes has led to a new attempt although the network was there.
  var hasRepeated = false
  /// Whether the body of the first hop is a stream that the app has yet to provide.
  var wantsFirstStream = false
  /// A login that its asker has just refused, and that the session has to forget.
  var refused: RefusedLogin?

  struct RefusedLogin: Sendable {
    let answer: AuthenticationAnswer
    let asker: Asker
  }

  /// Reads or changes what is known of one asker.
  mutating func with<Result>(_ asker: Asker, _ body: (inout AskerLedger) -> Result) -> Result {
    body(&authentication[asker, default: AskerLedger()])
  }

  /// What the running hop carries for the server of `url`.
  func carried(to url: String) -> AskerLedger.Carried? {
    authentication.isEmpty ? nil : Origin(url).flatMap { authentication[.server($0)]?.carried }
  }

  /// Whether the running hop carries to `url` what no other request can.
  func carriesPassingCredentials(to url: String) -> Bool { carried(to: url).map { $0.answer.field == nil } ?? false }

  /// The request that a download begins again with, at the address where it began: what a redirect led to may have been good
  /// for minutes only (RFC 9110 §15.4.3).
  mutating func firstRequest(_ original: HopRequest, current: HopRequest) -> HopRequest {
    guard redirects == firstRedirect else {
      firstRedirect = redirects
      return original
    }
    // With what a challenge was answered.
    var request = current
    request.remove(["Range", "If-Range"])
    request.headers += original.headers.filter {
      $0.name.equalsIgnoringCase("Range") || $0.name.equalsIgnoringCase("If-Range")
    }
    return request
  }
}
