import AFSupport

/// Who asks for credentials: a server by its origin, or the proxy of the session. Nothing that was meant for one is ever told
/// to another (RFC 9110 §11.5).
enum Asker: Hashable, Sendable {
  case server(Origin)
  case proxy
}
