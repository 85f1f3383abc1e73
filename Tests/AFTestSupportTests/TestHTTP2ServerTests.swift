import AFTestSupport
import Foundation
import Testing

@Suite struct TestHTTP2ServerTests {
  /// Debian's own client is the judge of the frames.
  private func curl(_ arguments: [String]) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments = ["--silent", "--show-error", "--insecure", "--max-time", "5"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `answers, over TLS and with a body`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    let server = try TestHTTP2Server(identity: identity) { _ in .ok("two") }
    let folder = try TemporaryDirectory()
    let body = try folder.write(TestPattern.data(count: 200_000), to: "body")
    let answer = try await curl(
      ["-w", " %{http_version}", "--data-binary", "@\(body.path)", server.url().absoluteString])
    #expect(answer == "two 2")
    #expect(server.streams.map(\.bodyCount) == [200_000])
    try server.stop()
  }

  @Test func `refuses a stream, and says goodbye`() async throws {
    let server = try TestHTTP2Server { stream in
      stream.number == 0 ? .reset(code: 2) : .goAway(last: 0, code: 11)
    }
    let url = server.url().absoluteString
    #expect(try await curl(["--http2-prior-knowledge", url]).contains("INTERNAL_ERROR"))
    #expect(try await curl(["--http2-prior-knowledge", url]).hasPrefix("curl: "))
    #expect(server.streams.count >= 2)
    try server.stop()
  }
}
