import AFTestSupport
import Foundation

/// The HTTPS server of the tour, standing in for yours. It keeps the last form that it got in a file.
final class TourServer: Sendable {
  private let server: TestServer
  private let folder: TemporaryDirectory
  private let maker: TestAuthority
  /// The server's certificate, and that of the authority which issued it, DER.
  let certificate: Data
  var authority: Data { maker.certificate }

  init() throws {
    maker = try TestAuthority.make()
    let identity = try maker.issue(names: ["localhost", "127.0.0.1"])
    let folder = try TemporaryDirectory()
    let form = folder.file("form").path
    var options = TestServer.Options(tls: TestTLS(identity))
    options.digestsBodies = false
    options.keptBodySize = 4096
    server = try TestServer(
      options,
      routes: [
        "/planet": { _ in .json(#"{"name": "Mars", "moons": 2}"#) },
        "/form": { try .echo($0) },
        "/videos": { request in
          if request.method == "GET" { return try Self.video(in: form) }
          try Self.keep(request, in: form)
          return .status(201)
        },
      ])
    self.folder = folder
    certificate = identity.certificate
  }

  var url: URL { server.url() }

  /// A certificate of the same authority for the same names, with another key.
  func otherCertificate() throws -> Data { try maker.issue(names: ["localhost", "127.0.0.1"]).certificate }

  /// Requests that have arrived.
  var requestCount: Int { server.requestCount }

  func stop() throws {
    try server.stop()
    folder.remove()
  }

  private static func keep(_ request: TestRequest, in path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try request.readBody { piece in
      try file.write(contentsOf: Data(piece))
    }
  }

  /// The bytes of the form's last part, which is the file.
  private static func video(in path: String) throws -> TestResponse {
    guard let file = FileHandle(forReadingAtPath: path) else { return .status(404) }
    defer { try? file.close() }
    let start = try file.read(upToCount: 4096) ?? Data()
    guard let boundary = start.firstRange(of: Data("\r\n".utf8)),
      let name = start.firstRange(of: Data("filename=".utf8)),
      let head = start[name.upperBound...].firstRange(of: Data("\r\n\r\n".utf8))
    else { return .status(404) }
    // The closing line: CR LF, the boundary line, "--", CR LF.
    let tail = 2 + boundary.lowerBound + 2 + 2
    let end = try Int64(file.seekToEnd()) - Int64(tail)
    let offset = Int64(head.upperBound)
    return TestResponse(
      headers: [("Content-Type", "video/mp4")], body: .file(path, offset: offset, count: end - offset))
  }
}
