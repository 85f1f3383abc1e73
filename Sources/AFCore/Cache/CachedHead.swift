package import AFTransport
import Foundation
import FoundationNetworking

extension ResponseHead {
  /// The head of a response that Foundation holds.
  init(_ response: URLResponse) {
    var fields: [(name: String, value: String)] = []
    guard let response = response as? HTTPURLResponse else {
      if let type = response.mimeType { fields.append(("Content-Type", type)) }
      self.init(status: 200, fields: fields)
      return
    }
    for (name, value) in response.allHeaderFields { fields.append(("\(name)", "\(value)")) }
    self.init(status: response.statusCode, fields: fields)
  }

  package init(status: Int, fields: [(name: String, value: String)], version: String = "HTTP/1.1") {
    var text = "\(version) \(status) \r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    self.init(bytes: Array(text.utf8))
  }

  /// Belongs to one connection and not to the response (RFC 9111 §3.1).
  private static let ofTheConnection: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// About the body that is kept, in the form in which it is kept: decoded, and told to the app with this type. RFC 9111 §3.2 lets a cache that
  /// keeps the results of processing leave these out; servers that send a type with each 304 send their default.
  private static let ofTheBody: Set<String> = ["content-length", "content-encoding", "content-range", "content-type"]

  /// The head as it is kept: without what concerns one connection or may not be used again without asking, and with a Date.
  package func kept(received: Double) -> ResponseHead {
    let named = values("Connection").flatMap { $0.split(separator: ",") }.map { $0.trimmed.lowercased() }
    let dropped = Self.ofTheConnection.union(named).union(CacheControl(values("Cache-Control")).noCacheFields)
    var fields = fields.filter { !dropped.contains($0.name.lowercased()) }
    if value("Date") == nil { fields.append(("Date", HTTPDate.text(received))) }
    return ResponseHead(status: statusCode, fields: fields, version: httpVersion)
  }

  /// The head of a kept response after `answer`, a 304, has confirmed it (RFC 9111 §3.2).
  package func refreshed(by answer: ResponseHead) -> ResponseHead {
    let excluded = Self.ofTheConnection.union(Self.ofTheBody)
    let new = answer.fields.filter { !excluded.contains($0.name.lowercased()) }
    let replaced = Set(new.map { $0.name.lowercased() }).union(answer.value("Age") == nil ? ["age"] : [])
    let old = fields.filter { !replaced.contains($0.name.lowercased()) }
    return ResponseHead(status: statusCode, fields: old + new, version: httpVersion)
  }
}
