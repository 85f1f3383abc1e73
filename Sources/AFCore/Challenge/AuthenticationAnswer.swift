import AFTransport

/// What one asker's challenges in one space are answered with.
struct AuthenticationAnswer: Sendable {
  /// Where the login comes from; what comes from elsewhere is good only while it stands there.
  enum Source: Equatable, Sendable {
    /// The challenge handler, by how many have been set before it.
    case handler(Int)
    case storage
    case url
    case proxySettings
  }

  enum Means: Sendable {
    /// The value of the field.
    case field(String)
    case digest(DigestSession)
    /// libcurl's work.
    case transfer(TransferAuthentication)
  }

  let space: AuthenticationOffer.Space
  let login: Login
  let source: Source
  let means: Means
  var paths: ProtectedPaths

  /// Nil if the offer cannot be answered with this login.
  init?(_ offer: AuthenticationOffer, _ login: Login, _ source: Source, paths: ProtectedPaths) {
    space = offer.space
    self.login = login
    self.source = source
    self.paths = paths
    if let scheme = offer.scheme.transfer {
      means = .transfer(TransferAuthentication(scheme: scheme, user: login.user, password: login.password))
    } else if let challenge = offer.digest {
      guard let session = DigestSession(challenge, login) else { return nil }
      means = .digest(session)
    } else {
      guard let field = login.basicField else { return nil }
      means = .field(field)
    }
  }

  /// Whether it can be given to later requests. What libcurl computes belongs to a connection.
  var isRepeatable: Bool { if case .transfer = means { false } else { true } }

  var transfer: TransferAuthentication? { if case .transfer(let transfer) = means { transfer } else { nil } }
  var digest: DigestSession? { if case .digest(let session) = means { session } else { nil } }
  var field: String? { if case .field(let field) = means { field } else { nil } }
}
