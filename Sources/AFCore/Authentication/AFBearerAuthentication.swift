import AFSupport
public import Foundation

/// A bearer token for a manager's requests (RFC 6750), and the way to the next one.
///
/// Set it as ``AFURLSessionManager/bearerAuthentication``. Requests to its origins that have no `Authorization` of their own
/// carry the token. When a server refuses it with 401, `refresh` is asked for the next one, once for all requests that were
/// refused, and each of them is repeated. Requests that start meanwhile wait for the new token.
///
/// - A request is sent three times at most. If a new token is refused too, it fails with
///   ``AFBearerAuthenticationError/refused``; the challenge handler and stored credentials are not asked about a 401 to the
///   token.
/// - A body that cannot be sent again ends its request with `URLError.requestBodyStreamExhausted`, as after a redirect.
/// - A refresh that fails ends all requests that wait for it, with its error. The next request tries again.
/// - The refresh is cancelled when nobody waits for it any more, or when it takes too long. There are never two at once: where one goes
///   on in spite of that, the next begins when it has ended, and takes its token if it has one.
/// - Requests that the refresh itself makes, in its own task or in child tasks, never wait for it and carry no token.
///
/// One object may serve several managers, which then share the token. Descriptions never show it.
public final class AFBearerAuthentication: Sendable, CustomReflectable {
  /// Makes the next token; it is given the present one. It runs in a task of its own, which is cancelled when nobody waits for
  /// the result. Capture the manager weakly: it holds this object.
  public typealias Refresh = @Sendable (_ current: Token?) async throws -> Token

  /// A token and when it ends.
  public struct Token: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What follows `Bearer` in the header field: visible ASCII.
    public var value: String
    /// When the token stops being good, or nil if nobody knows. A token is renewed before it is used that late.
    public var expiration: Date?

    /// A token.
    public init(_ value: String, expiration: Date? = nil) {
      self.value = value
      self.expiration = expiration
    }

    /// Says that there is a token, not which.
    public var description: String { "a bearer token" + (expiration.map { " until \($0)" } ?? "") }
    /// ``description``.
    public var debugDescription: String { description }
    /// Shows the expiration alone.
    public var customMirror: Mirror { Mirror(self, children: ["expiration": expiration as Any]) }
  }

  let core: BearerCore
  let origins: Set<Origin>?

  /// A token source.
  /// - Parameters:
  ///   - token: The present token; nil makes the first request ask for one.
  ///   - origins: The URLs whose scheme, host and port the token is for. Nil means the origin of the manager's base URL, and
  ///     none on a manager without one. Nobody else gets the token, also not after a redirect.
  ///   - leeway: Seconds before its expiration at which a token is renewed.
  ///   - timeout: Seconds that a refresh may take; after that it fails with ``AFBearerAuthenticationError/timedOut``. A
  ///     request waits no longer than its own timeout besides.
  ///   - now: The time, for tests.
  ///   - refresh: Makes the next token.
  public init(
    token: Token? = nil, origins: [URL]? = nil, leeway: TimeInterval = 10, timeout: TimeInterval = 60,
    now: @escaping @Sendable () -> Date = { Date() }, refresh: @escaping Refresh
  ) {
    core = BearerCore(token: token, leeway: leeway, timeout: timeout, now: now, refresh: refresh)
    self.origins = origins.map { Set($0.compactMap { Origin($0.absoluteString) }) }
  }

  /// The present token. Setting it counts for requests that start afterwards, and takes the place of what a refresh that is
  /// under way will bring; nil makes the next request ask for one.
  public var token: Token? {
    get { core.token }
    set { core.set(newValue) }
  }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a request that needs a bearer token failed.
public enum AFBearerAuthenticationError: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
  /// The server refused a new token too. The response and its body are in the `AFError`.
  case refused
  /// The refresh took longer than it may.
  case timedOut
  /// The token is empty, or has characters that cannot stand in a header field.
  case malformedToken
  /// The token was taken away while the request waited for it.
  case noToken

  /// What went wrong, without the token.
  public var description: String {
    switch self {
    case .refused: "The server refused a new bearer token too"
    case .timedOut: "The bearer token could not be refreshed in time"
    case .malformedToken: "The bearer token is empty or has characters other than visible ASCII"
    case .noToken: "There is no bearer token"
    }
  }

  /// ``description``.
  public var errorDescription: String? { description }
}

extension AFURLSessionManager {
  /// The token that requests carry, and how to get the next. It counts for tasks that are resumed afterwards. Neither copied
  /// nor archived with the manager. Default: nil.
  public var bearerAuthentication: AFBearerAuthentication? {
    get { core.read { $0.bearer } }
    set { core.setBearer(newValue, defaultOrigin: bearerOrigin) }
  }
}
