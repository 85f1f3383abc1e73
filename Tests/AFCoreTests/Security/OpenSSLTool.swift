import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import Testing

/// The `openssl` command, as a peer that shares no code with the package's tests.
enum OpenSSLTool {
  /// Runs it to its end.
  static func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
  }

  /// What `openssl ocsp` says about a certificate that `authority` issued: the path of a DER file.
  static func ocspResponse(
    _ authority: TestAuthority, _ identity: TestIdentity, isRevoked: Bool, in directory: TemporaryDirectory
  ) throws -> String {
    let issuer = try directory.write(Data(authority.certificatePEM.utf8), to: "issuer.pem").path
    let issuerKey = try directory.write(Data(authority.key.pem().utf8), to: "issuer.key").path
    let leaf = try directory.write(Data(identity.certificatePEM.utf8), to: "leaf.pem").path
    let serial = try AFCertificate(derRepresentation: identity.certificate).serialNumber
    let (status, moment) = isRevoked ? ("R", "200101000000Z") : ("V", "")
    let index = "\(status)\t401231000000Z\t\(moment)\t\(serial)\tunknown\t/CN=localhost\n"
    let indexFile = try directory.write(Data(index.utf8), to: "index.txt").path
    let query = directory.file("query.der").path
    let response = directory.file("response.der").path
    try run(["ocsp", "-issuer", issuer, "-cert", leaf, "-reqout", query, "-no_nonce"])
    try run([
      "ocsp", "-index", indexFile, "-rsigner", issuer, "-rkey", issuerKey, "-CA", issuer, "-reqin", query, "-respout",
      response, "-ndays", "1",
    ])
    return response
  }
}

/// An `openssl s_server` of the test's own, on a port that the kernel gives it. Ended by ``stop()``.
final class OpenSSLServer {
  enum Manner {
    /// Answers every request with a page about the connection.
    case pages
    /// Prints what comes, and sends what it is told to.
    case terminal
  }

  let url: URL
  private let process = Process()
  private let input = Pipe()
  private let output: Output

  /// What the server has printed so far: with `.terminal`, every byte of a request.
  var printed: String { output.text }

  init(
    _ identity: TestIdentity, _ manner: Manner, _ arguments: [String] = [], in directory: TemporaryDirectory
  ) async throws {
    let certificate = try directory.write(Data(identity.certificatePEM.utf8), to: "server.pem").path
    let chain = try directory.write(Data(identity.chainPEM.utf8), to: "chain.pem").path
    let key = try directory.write(Data(identity.keyPEM.utf8), to: "server.key").path
    let output = Output()
    self.output = output
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments =
      ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-cert_chain", chain, "-key", key]
      + (manner == .pages ? ["-www"] : ["-crlf"]) + arguments
    process.standardInput = input
    process.standardOutput = output.pipe
    process.standardError = output.pipe
    try process.run()
    do {
      try await eventually(within: 20, "s_server listens: \(output.text)") { output.port != nil }
    } catch {
      Self.end(process)
      throw error
    }
    url = try #require(URL(string: "https://localhost:\(output.port ?? 0)/"))
  }

  /// Types a line on the server's terminal.
  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  func stop() {
    Self.end(process)
  }

  /// Not by SIGTERM: a child of a queue's thread inherits its signal mask, in which that is blocked.
  private static func end(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private final class Output: Sendable {
    let pipe = Pipe()
    private let pieces = Recorder<Data>()

    init() {
      // Not a readability handler: Foundation closes the descriptor while libdispatch still watches it, and the next pipe with that
      // number then breaks libdispatch's lists, which ends the process in its own thread. The thread ends with the server.
      let (pipe, pieces) = (pipe, pieces)
      Thread.detachNewThread {
        while let more = try? pipe.fileHandleForReading.readPiece(), !more.isEmpty { pieces.record(more) }
      }
    }

    var text: String { String(decoding: Data(pieces.values.joined()), as: UTF8.self) }

    /// From the line `ACCEPT 127.0.0.1:4433`.
    var port: Int? {
      let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
        $0.hasPrefix("ACCEPT ")
      }
      return line?.split(separator: ":").last.flatMap { Int($0) }
    }
  }
}
