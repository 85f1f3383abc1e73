import AFSupport
import AFTransport

/// A 401 or 407 that credentials might answer.
struct ChallengeQuestion: Sendable {
  let asker: Asker
  /// The strongest first.
  let offers: [AuthenticationOffer]

  /// What a 401 or 407 to a request for `url`, which went over `proxy`, asks for; nil if it offers nothing that the package can
  /// do, or comes from a proxy that is not there.
  init?(_ head: ResponseHead, url: String, proxy: ProxyRoute) {
    let isProxy = head.statusCode == 407
    guard let asker = isProxy ? proxy.asker : Origin(url).map({ .server($0) }) else { return nil }
    self.asker = asker
    offers = AuthenticationOffer.all(
      in: ChallengeParser.challenges(in: head.octets(isProxy ? "Proxy-Authenticate" : "WWW-Authenticate")))
    if offers.isEmpty { return nil }
  }
}

extension ChallengeQuestion {
  /// What an offer is answered with for a request to `url`, given the login; nil if it cannot be.
  func answer(_ offer: AuthenticationOffer, _ login: Login, _ source: AuthenticationAnswer.Source, url: String)
    -> AuthenticationAnswer?
  {
    var paths = ProtectedPaths.all
    if case .server(let origin) = asker { paths = ProtectedPaths(offer, for: RequestTarget.path(url), of: origin) }
    return AuthenticationAnswer(offer, login, source, paths: paths)
  }
}

/// A challenge for which credentials have to be found.
struct CredentialQuestion: Sendable {
  let challenge: ChallengeQuestion
  /// The strongest offer that may still be answered.
  let first: AuthenticationOffer
  /// The response that asks.
  let head: ResponseHead
}

/// What becomes of a challenge.
enum ChallengeAnswer: Sendable {
  case use(AuthenticationAnswer)
  /// The response is the result.
  case decline
  case cancel(any Error)
}
