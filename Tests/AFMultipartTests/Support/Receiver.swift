import AFTestSupport
import Foundation
import Testing

/// Somebody else's parser of multipart bodies.
enum Receiver: String, CaseIterable, CustomTestStringConvertible {
  case werkzeug
  case pythonMultipart = "python-multipart"
  case django
  case email = "Python's email"
  case node = "Node's Response.formData()"
  case php = "PHP's $_FILES"

  struct Part: Codable, Hashable {
    var name: String
    var fileName: String?
    /// nil where the parser does not tell.
    var type: String?
    /// Base64.
    var data: String
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  var testDescription: String { rawValue }

  /// Those that this machine has.
  static var installed: [Receiver] { allCases.filter { $0.command != nil } }

  /// PHP makes variables of names, and Python's email package knows no raw UTF-8 in quoted strings.
  var takesOnlyPlainNames: Bool { self == .php || self == .email }

  private var command: [String]? {
    switch self {
    case .werkzeug: Self.python(with: "werkzeug")
    case .pythonMultipart: Self.python(with: "python_multipart")
    case .django: Self.python(with: "django")
    case .email: Self.python(with: "email")
    case .node: Self.find("node").map { [$0] }
    case .php: Self.find("php-cgi").map { [$0, "-d", "upload_max_filesize=64M", "-d", "post_max_size=64M"] }
    }
  }

  /// What the parser finds in the body of a file.
  func parse(_ body: URL, contentType: String) throws -> [Part] {
    guard let command else { throw Failure(description: "\(rawValue) is not installed") }
    let script = body.deletingLastPathComponent().appendingPathComponent("script")
    var environment: [String: String] = [:]
    var arguments = Array(command.dropFirst())
    switch self {
    case .werkzeug, .pythonMultipart, .django, .email:
      try Data(ReceiverScripts.python.utf8).write(to: script)
      arguments += [script.path, rawValue, body.path, contentType]
    case .node:
      try Data(ReceiverScripts.node.utf8).write(to: script)
      arguments += [script.path, body.path, contentType]
    case .php:
      try Data(ReceiverScripts.php.utf8).write(to: script)
      environment = [
        "REQUEST_METHOD": "POST", "REDIRECT_STATUS": "200", "GATEWAY_INTERFACE": "CGI/1.1",
        "SCRIPT_FILENAME": script.path, "CONTENT_TYPE": contentType,
        "CONTENT_LENGTH": "\(try Data(contentsOf: body).count)",
      ]
    }
    var output = try Self.run(command[0], arguments, environment, input: self == .php ? body : nil)
    if self == .php, let end = output.range(of: Data("\r\n\r\n".utf8)) { output = output[end.upperBound...] }
    do { return try JSONDecoder().decode([Part].self, from: output) } catch {
      throw Failure(description: "\(rawValue) printed: \(String(decoding: output.prefix(2_000), as: UTF8.self))")
    }
  }

  private static func run(
    _ path: String, _ arguments: [String], _ environment: [String: String], input: URL?, isQuiet: Bool = false
  ) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    if isQuiet { process.standardError = FileHandle.nullDevice }
    process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readAll()
    process.waitUntilExit()
    return data
  }

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The Python that has the module: the one of `AF_TEST_PYTHON`, of the checkout's virtual environment, or the system's.
  private static func python(with module: String) -> [String]? {
    let candidates = [
      ProcessInfo.processInfo.environment["AF_TEST_PYTHON"], ".cache/venv/bin/python", find("python3"),
    ]
    for case let path? in candidates where FileManager.default.isExecutableFile(atPath: path) {
      let check = try? run(path, ["-c", "import \(module); print('yes')"], [:], input: nil, isQuiet: true)
      if check?.starts(with: Data("yes".utf8)) == true { return [path] }
    }
    return nil
  }
}
