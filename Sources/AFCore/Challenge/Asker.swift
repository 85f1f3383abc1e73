import AFSupport

/// Who asks for credentials: a server by its origin, or a proxy by its URL. Nothing that was meant for one is ever told to another
/// (RFC 9110 §11.5).
enum Asker: Hashable, Sendable {
  case server(Origin)
  case proxy(url: String)

  var isProxy: Bool { if case .proxy = self { true } else { false } }
}
