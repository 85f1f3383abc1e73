import AFArguments
import AFMultipart
import AFSupport
import Foundation
import FoundationNetworking

/// The request that a command line describes.
struct RequestBuilder: Sendable {
  let method: String
  let target: Target
  private var fields: [HeaderField] = []
  private let body: Body

  /// Where the body comes from. Read once, so that another attempt sends the same.
  private enum Body: Sendable {
    case none
    case data(Data, type: String)
    case form([FormField])
  }

  /// Whether the body can be sent again.
  let isRepeatable: Bool

  init(_ method: String, _ target: Target, _ arguments: Arguments, _ credentials: Credentials) throws(ToolFailure) {
    self.method = method
    let (target, login) = credentials.applied(to: target)
    self.target = target
    body = try Self.body(arguments)
    isRepeatable =
      if case .form(let fields) = body { !fields.contains { $0.source == .file(path: "-") } } else { true }
    fields = Self.defaults(arguments, body) + login
    // A field that is given replaces one of ours.
    let given = try HeaderField.all(arguments)
    fields.removeAll { field in given.contains { $0.name.lowercased() == field.name.lowercased() } }
    fields += given
  }

  private static func defaults(_ arguments: Arguments, _ body: Body) -> [HeaderField] {
    var fields = [
      HeaderField(name: "User-Agent", value: "afnet/\(packageVersion)"),
      HeaderField(name: "Accept", value: arguments.has(.json) ? "application/json, */*;q=0.5" : "*/*"),
    ]
    if case .data(_, let type) = body { fields.append(HeaderField(name: "Content-Type", value: type)) }
    return fields
  }

  private static func body(_ arguments: Arguments) throws(ToolFailure) -> Body {
    if let json = arguments.text(.json) { return .data(try content(json), type: "application/json") }
    let pieces = arguments.all(.data)
    if !pieces.isEmpty {
      var data = Data()
      for (index, piece) in pieces.enumerated() {
        if index > 0 { data.append(UInt8(ascii: "&")) }
        data.append(try content(piece))
      }
      return .data(data, type: "application/x-www-form-urlencoded")
    }
    let form = arguments.all(.form)
    guard !form.isEmpty else { return .none }
    var fields: [FormField] = []
    for text in form { fields.append(try FormField(text)) }
    return .form(fields)
  }

  /// The text itself, or what a file or standard input holds.
  private static func content(_ text: String) throws(ToolFailure) -> Data {
    guard text.hasPrefix("@") else { return Data(text.utf8) }
    let path = String(text.dropFirst())
    if path == "-" { return try Console.readInput() }
    do { return try SmallFile.read(path, limit: 1 << 30) } catch {
      throw ToolFailure(.file, "the body cannot be read: \(error)")
    }
  }

  /// Adds a field unless there is one of that name.
  mutating func setDefault(_ name: String, _ value: String) {
    guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
    fields.append(HeaderField(name: name, value: value))
  }

  /// The request, to be sent once. `configure` is called with the form, if there is one.
  func request(
    timeout: Double?, configure: (AFMultipartForm) -> Void = { _ in }
  ) throws(ToolFailure) -> URLRequest {
    var request = URLRequest(
      url: target.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: timeout ?? 60)
    request.httpMethod = method
    switch body {
    case .none: break
    case .data(let data, _): request.httpBody = data
    case .form(let fields):
      let form = AFMultipartForm()
      for field in fields { try field.add(to: form) }
      configure(form)
      request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
      if let length = form.contentLength { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
      request.httpBodyStream = form.makeBodyStream()
    }
    for (index, field) in fields.enumerated() {
      let isRepeated = fields[..<index].contains { $0.name.lowercased() == field.name.lowercased() }
      if isRepeated {
        request.addValue(field.value, forHTTPHeaderField: field.name)
      } else {
        request.setValue(field.value, forHTTPHeaderField: field.name)
      }
    }
    return request
  }
}
