/// One challenge of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 §11.3). Values are bytes: what a server calls a
/// realm need not be UTF-8.
struct Challenge: Equatable, Sendable {
  struct Parameter: Equatable, Sendable {
    /// In lower case.
    var name: String
    /// Without quotes and escapes.
    var value: [UInt8]
  }

  /// In lower case.
  var scheme: String
  var token68: String?
  var parameters: [Parameter] = []

  init(scheme: String) {
    self.scheme = scheme
  }

  /// A parameter's value. Of several with one name, which RFC 9110 §11.2 forbids, only the first has been kept.
  subscript(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

  /// A parameter's value as text, or nil if it is not there or not UTF-8.
  func text(_ name: String) -> String? { self[name].flatMap { String(validating: $0, as: UTF8.self) } }
}
