import AFSupport
import AFTransport
import Foundation

/// What follows a response, or a hop that failed. Pure: the head or the failure, the request that it answers, and the ledger go in, one
/// decision comes out. ``TaskCore`` carries it out.
///
/// In this order: what is kept (304, stale-if-error), redirects, a refused token, challenges. What none of them takes is the result.
enum FollowUp: Sendable {
  /// The response is the task's result; or the failure is.
  case final
  /// Another hop, with this request. The body of the response is of no interest.
  case again(HopRequest)
  /// The app, or a source of tokens, has to answer first.
  case ask(Question)
  /// The kept response is the answer: ``HopCaching/replay`` has it for the next hop.
  case replay
  /// The task ends with this error.
  case fail(any Error)
  /// The task ends with this error, and with the response and its body.
  case refuse(any Error)

  enum Question: Sendable {
    /// Whether this request is to follow, or another, or none.
    case redirect(HopRequest)
    /// A new body stream for this request: its own has been read.
    case bodyStream(HopRequest)
    /// Credentials.
    case credentials(CredentialQuestion)
    /// Whether a TLS server is trusted.
    case trust(PeerTrust)
    /// Which client certificate a TLS server is shown.
    case identity(PeerTrust)
    /// A way to the network. The error is what the hop failed with.
    case network(URLError)
  }

  /// What the app and the session say, as far as it plays a part.
  struct Rules: Sendable {
    /// Whether the app is asked before a redirect is followed.
    var asksAboutRedirects = false
    /// Whether the app provides a new stream for a body that has to be sent again.
    var asksForStreams = false
    /// Whether the app is asked about TLS servers and client certificates.
    var asksAboutPeers = true
    /// The hosts whose security policy pins; nil if redirects may lead from them to http.
    var pins: (@Sendable (_ host: String) -> Bool)?
    /// The way that the request went.
    var proxy = ProxyRoute.direct
    /// Whether the token that the hop carried has been replaced meanwhile.
    var isTokenReplaced = false
    /// The request's cache directives; nil if nothing stale may be used.
    var standIn: CacheControl?
    /// Whether requests wait for a way to the network.
    var holdsUntilReachable = false
    /// Seconds since 1970.
    var now: Double = 0
  }
}

// MARK: A response

extension FollowUp {
  /// Whether a response can only be final. Most are, and for those nothing else is looked at.
  static func isFinal(_ status: Int, _ ledger: HopLedger) -> Bool {
    !(300..<400).contains(status) && status != 401 && status != 407
      && (ledger.caching.stored == nil || ledger.caching.isServing)
  }

  /// What follows the response with `head` to `request`.
  init(_ head: ResponseHead, to request: HopRequest, _ ledger: inout HopLedger, _ rules: Rules) {
    self =
      Self.kept(head, request, &ledger, rules) ?? Self.redirect(head, request, &ledger, rules)
      ?? Self.refusedToken(head, request, &ledger, rules) ?? Self.challenge(head, request, &ledger, rules) ?? .final
  }

  /// The response says something of the one that is kept (RFC 9111 §4.3.3, RFC 5861 §4).
  private static func kept(
    _ head: ResponseHead, _ request: HopRequest, _ ledger: inout HopLedger, _ rules: Rules
  ) -> FollowUp? {
    let caching = ledger.caching
    guard !caching.isServing, let stored = caching.stored else { return nil }
    let answer = CacheAnswer(
      head, to: stored.rules, wasAsked: caching.isValidating, rules.standIn, at: rules.now)
    switch answer {
    case .none: return nil
    case .replaces:
      ledger.caching.change = .remove(stored)
      return nil
    case .isAboutAnother:
      ledger.caching.bypasses = true
      return .again(request)
    case .standsIn:
      ledger.caching.replay = HopCaching.Replay(stored: stored, isConfirmed: false)
      return .replay
    case .confirms:
      let sent = caching.sent ?? SentFields(request.headers)
      guard let fresh = stored.refreshed(by: head, requested: caching.requested, received: rules.now, sent) else {
        return nil
      }
      ledger.caching.change = .refresh(fresh, inPlaceOf: stored)
      ledger.caching.replay = HopCaching.Replay(stored: fresh, isConfirmed: true)
      return .replay
    }
  }

  // MARK: Redirects

  private static func redirect(
    _ head: ResponseHead, _ request: HopRequest, _ ledger: inout HopLedger, _ rules: Rules
  ) -> FollowUp? {
    guard let next = Redirect.following(request, head) else { return nil }
    ledger.redirects += 1
    guard ledger.redirects - ledger.firstRedirect <= HopLedger.redirectLimit else {
      return .fail(
        URLError.make(
          .httpTooManyRedirects, url: next.url, "More than \(HopLedger.redirectLimit) redirects, one after another"))
    }
    return rules.asksAboutRedirects ? .ask(.redirect(next)) : redirected(from: request.url, to: next, rules)
  }

  /// Lets `next` follow a redirect, unless it would be sent in clear where the security policy pins: what pins protect must not be
  /// had by a redirect, nor by a block that lets it pass.
  static func redirected(from url: String, to next: HopRequest, _ rules: Rules) -> FollowUp {
    if let pins = rules.pins, let from = Origin(url), from.isSecure, let to = Origin(next.url), !to.isSecure,
      pins(from.host) || pins(to.host)
    {
      return .fail(
        URLError.make(
          .appTransportSecurityRequiresSecureConnection, url: next.url,
          "A redirect leads from https to http, and the security policy pins"))
    }
    return sending(next, rules)
  }

  /// Sends a request whose body may have been sent before. A stream that can be read once has to be provided anew.
  static func sending(_ request: HopRequest, _ rules: Rules) -> FollowUp {
    guard !request.body.canBeSent else { return .again(request) }
    return rules.asksForStreams ? .ask(.bodyStream(request)) : .fail(spent(request))
  }

  /// The app has provided no new stream.
  static func spent(_ request: HopRequest) -> URLError {
    URLError.make(
      .requestBodyStreamExhausted, url: request.url,
      "The body has to be sent again and its stream can be read only once", underlying: StreamBody.Spent())
  }

  // MARK: 401 and 407

  /// A 401 that answers our token: the request is repeated, with a newer one, or the task ends with this response. The challenge
  /// handler and stored credentials are not asked.
  private static func refusedToken(
    _ head: ResponseHead, _ request: HopRequest, _ ledger: inout HopLedger, _ rules: Rules
  ) -> FollowUp? {
    guard head.statusCode == 401, let sent = ledger.token.sent else { return nil }
    ledger.token.refusals += 1
    guard ledger.token.refusals < HopLedger.tokenLimit, !ledger.token.hasWaited || rules.isTokenReplaced else {
      return .refuse(AFBearerAuthenticationError.refused)
    }
    ledger.token.refused = sent
    return sending(request, rules)
  }

  /// A 401 or 407 that credentials might answer (RFC 9110 §11, §15.5.2, §15.5.8).
  private static func challenge(
    _ head: ResponseHead, _ request: HopRequest, _ ledger: inout HopLedger, _ rules: Rules
  ) -> FollowUp? {
    // What comes through a tunnel is the server's, which has no say about the proxy.
    guard head.statusCode == 401 || head.statusCode == 407 && !request.url.isSecure, !ledger.caching.isServing else {
      return nil
    }
    return credentials(head, request, &ledger, rules)
  }

  private static func credentials(
    _ head: ResponseHead, _ request: HopRequest, _ ledger: inout HopLedger, _ rules: Rules
  ) -> FollowUp? {
    guard let challenge = ChallengeQuestion(head, url: request.url, proxy: rules.proxy) else { return nil }
    let refused = ledger.authentication[challenge.asker]?.carried?.answer
    let step = ledger.with(challenge.asker) { $0.challenged(by: challenge.offers) }
    switch step {
    case .again(let offer, let login):
      guard let refused, let answer = challenge.answer(offer, login, refused.source, url: request.url) else {
        return .final
      }
      ledger.with(challenge.asker) { $0.chosen = answer }
      return sending(request, answering: challenge.asker, rules)
    case .ask(let offer):
      ledger.refused = refused.map { HopLedger.RefusedLogin(answer: $0, asker: challenge.asker) }
      return .ask(.credentials(CredentialQuestion(challenge: challenge, first: offer, head: head)))
    case .end:
      ledger.refused = refused.map { HopLedger.RefusedLogin(answer: $0, asker: challenge.asker) }
      return .final
    }
  }

  /// Sends `request` again, with the answer that has been chosen for `asker`.
  static func sending(_ request: HopRequest, answering asker: Asker, _ rules: Rules) -> FollowUp {
    var next = request
    // What the caller set himself has been refused.
    if !asker.isProxy { next.remove(["Authorization"]) }
    return sending(next, rules)
  }
}

// MARK: A failure

extension FollowUp {
  /// What follows a hop that failed. `next` is the request that was to follow it.
  init(
    _ failure: TransferFailure, of request: HopRequest, next: HopRequest?, _ ledger: inout HopLedger, _ rules: Rules
  ) {
    self = Self.after(failure, request, next, &ledger, rules)
  }

  private static func after(
    _ failure: TransferFailure, _ request: HopRequest, _ next: HopRequest?, _ ledger: inout HopLedger, _ rules: Rules
  ) -> FollowUp {
    if rules.asksAboutPeers, let peer = failure.peer {
      if failure.kind == .trustUndecided { return .ask(.trust(peer)) }
      if failure.kind == .identityUndecided { return .ask(.identity(peer)) }
    }
    // A redirect whose own body broke off is a redirect all the same.
    if let next, failure.kind != .cancelled { return .again(next) }
    if standsIn(for: failure, &ledger, rules) { return .replay }
    switch failure.kind {
    case .proxyAuthentication:
      // The proxy made no tunnel because the request had no credentials for it.
      guard let head = failure.proxyHead, let answer = credentials(head, request, &ledger, rules) else { break }
      return answer
    case .transport where rules.holdsUntilReachable && failure.lacksNetwork && request.body.canBeSent:
      return .ask(.network(error(failure, request, rules)))
    case .refusedByHandler:
      if let own = failure.underlying { return .fail(own) }
    default: break
    }
    return .final
  }

  /// Whether what is kept takes the place of a failure, where it, or the request, allows that (RFC 5861 §4).
  private static func standsIn(for failure: TransferFailure, _ ledger: inout HopLedger, _ rules: Rules) -> Bool {
    guard let stored = ledger.caching.stored, let request = rules.standIn, !failure.responseStarted,
      [.transport, .connectionLost, .idleTimeout].contains(failure.kind) || failure.isOutageOfProxy,
      stored.rules.isUsable(afterErrorAt: rules.now, for: request)
    else { return false }
    ledger.caching.replay = HopCaching.Replay(stored: stored, isConfirmed: false)
    return true
  }

  /// The task's error for a failure that nothing follows.
  static func error(_ failure: TransferFailure, _ request: HopRequest, _ rules: Rules) -> URLError {
    let isProxys = failure.kind == .proxyAuthentication || failure.kind == .proxyRefused
    return URLError.make(failure, url: request.url, proxy: isProxys ? rules.proxy : .direct)
  }
}

extension TransferFailure {
  /// Whether the hop never reached a server because there was no route or no resolver.
  fileprivate var lacksNetwork: Bool {
    let couldNotResolve: Int32 = 6
    let couldNotConnect: Int32 = 7
    let wantOfRoute = [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(osError)
    return curlCode == couldNotResolve || curlCode == couldNotConnect && wantOfRoute
  }
}
