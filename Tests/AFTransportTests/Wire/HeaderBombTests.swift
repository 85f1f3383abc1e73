import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// Header fields without measure, in heads and in trailers: bounded, with a typed error, and the engine goes on.
@Suite struct HeaderBombTests {
  struct Bomb: Sendable, CustomTestStringConvertible {
    let name: String
    let isHTTP2: Bool
    /// Within what is accepted: the answer arrives.
    var isHarmless = false
    var mayTimeOut = false
    let bytes: @Sendable (UInt32) -> [UInt8]

    var testDescription: String { "\(isHTTP2 ? "HTTP/2" : "HTTP/1.1"): \(name)" }
  }

  private static let line = String(repeating: "v", count: 64 << 10)
  private static let many = (0..<10_000).map { (name: "x-\($0)", value: String(repeating: "v", count: 60)) }

  // MARK: HTTP/1.1

  private static func text(_ fields: String, trailers: String? = nil) -> [UInt8] {
    let framing = trailers == nil ? "Content-Length: 4" : "Transfer-Encoding: chunked"
    let body = trailers.map { "4\r\ngood\r\n0\r\n\($0)\r\n" } ?? "good"
    return Array("HTTP/1.1 200 OK\r\n\(framing)\r\n\(fields)\r\n\(body)".utf8)
  }

  private static func lines(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\($0.name): \($0.value)\r\n" }.joined()
  }

  static let http1: [Bomb] = [
    Bomb(name: "a line of 64 KiB", isHTTP2: false, isHarmless: true) { _ in text("X: \(line)\r\n") },
    Bomb(name: "a line of 1 MiB", isHTTP2: false) { _ in text("X: " + String(repeating: line, count: 16) + "\r\n") },
    Bomb(name: "lines of 64 KiB, together 512 KiB", isHTTP2: false) { _ in
      text((0..<8).map { "X-\($0): \(line)\r\n" }.joined())
    },
    Bomb(name: "10,000 fields", isHTTP2: false) { _ in text(lines(many)) },
    Bomb(name: "a status line of 1 MiB", isHTTP2: false) { _ in
      Array("HTTP/1.1 200 \(String(repeating: line, count: 16))\r\nContent-Length: 4\r\n\r\ngood".utf8)
    },
    Bomb(name: "trailers", isHTTP2: false, isHarmless: true) { _ in text("", trailers: "X-Sum: 7\r\n") },
    Bomb(name: "a trailer of 64 KiB", isHTTP2: false) { _ in text("", trailers: "X: \(line)\r\n") },
    Bomb(name: "10,000 trailers", isHTTP2: false) { _ in text("", trailers: lines(many)) },
  ]

  // MARK: HTTP/2

  private static func answer(_ block: [UInt8], _ stream: UInt32, trailers: [UInt8]? = nil) -> [UInt8] {
    let head = HTTP2Frame.head([0x88] + block, stream: stream)
    let body = HTTP2Frame.data(Array("good".utf8), stream: stream, endsStream: trailers == nil)
    return head + body + (trailers.map { HTTP2Frame.head($0, stream: stream, endsStream: true) } ?? [])
  }

  static let http2: [Bomb] = [
    Bomb(name: "a field of 32 KiB", isHTTP2: true, isHarmless: true) {
      answer(HPACK.block([("x", String(line.prefix(32 << 10)))]), $0)
    },
    Bomb(
      name: "a field of 64 KiB", isHTTP2: true, isHarmless: !Libcurl.waitsForLargeHeads,
      mayTimeOut: Libcurl.waitsForLargeHeads
    ) { answer(HPACK.block([("x", line)]), $0) },
    Bomb(name: "10,000 fields", isHTTP2: true) { answer(HPACK.block(many), $0) },
    // 16 KB on the wire, 64 MB in memory.
    Bomb(name: "a field of the table, 16,000 times", isHTTP2: true) {
      let value = String(repeating: "v", count: 4000)
      return answer(
        HPACK.remembered("x", value) + Array(repeating: HPACK.indexed(62), count: 16_000).flatMap { $0 }, $0)
    },
    Bomb(name: "10,000 CONTINUATIONs without an end", isHTTP2: true) { stream in
      HTTP2Frame(kind: .headers, stream: stream, payload: [0x88]).bytes
        + many.flatMap {
          HTTP2Frame(kind: .continuation, stream: stream, payload: HPACK.block([$0])).bytes
        }
    },
    Bomb(name: "10,000 empty CONTINUATIONs", isHTTP2: true) { stream in
      HTTP2Frame(kind: .headers, stream: stream, payload: [0x88]).bytes
        + Array(repeating: HTTP2Frame(kind: .continuation, stream: stream).bytes, count: 10_000).flatMap { $0 }
    },
    Bomb(name: "trailers", isHTTP2: true, isHarmless: true) { answer([], $0, trailers: HPACK.block([("x-sum", "7")])) },
    Bomb(name: "a trailer of 64 KiB", isHTTP2: true, isHarmless: !Libcurl.limitsHTTP2Trailers) {
      answer([], $0, trailers: HPACK.block([("x", line)]))
    },
    Bomb(name: "10,000 trailers", isHTTP2: true) { answer([], $0, trailers: HPACK.block(many)) },
  ]

  @Test(arguments: http1 + http2)
  func `a header bomb is refused, or passes as what it is, and the engine goes on`(_ bomb: Bomb) async throws {
    for method in ["GET", "POST"] {
      let isHealed = Recorder<Bool>()
      let engine = Engine.forTests()
      let (url, stop) = try Self.serve(bomb, isHealed)
      var request = TransferRequest(url: url, method: method)
      request.options.isIdempotent = method == "GET"
      request.options.idleTimeout = bomb.mayTimeOut ? 0.5 : 60
      let probe = TransferProbe()
      let outcome = await engine.run(request, probe: probe)
      #expect(probe.completions == 1)
      if bomb.isHarmless {
        #expect(outcome.failure == nil && outcome.body == Data("good".utf8))
        if bomb.name == "trailers" { #expect(outcome.trailers?.value("X-Sum") == "7") }
      } else {
        let isTimeout = bomb.mayTimeOut && outcome.failure?.kind == .idleTimeout
        #expect(outcome.failure?.kind == .oversizedHead || isTimeout, "\(String(describing: outcome.failure))")
      }
      isHealed.record(true)
      let next = await engine.run(TransferRequest(url: url))
      #expect(next.body == Data("good".utf8))
      try stop()
    }
  }

  private static func serve(_ bomb: Bomb, _ isHealed: Recorder<Bool>) throws -> (String, () throws -> Void) {
    guard bomb.isHTTP2 else {
      let server = try RawServer { connection in
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        try connection.send(isHealed.count > 0 ? text("") : bomb.bytes(0))
        try connection.perform(.finishSending)
      }
      return (server.url().absoluteString, { try server.stop() })
    }
    // The first stream of every connection has this number.
    let bytes = bomb.bytes(1)
    let server = try TestHTTP2Server(identity: TestAuthority.make().issue(names: ["localhost"])) { _ in
      isHealed.count > 0 ? .ok("good") : .steps([.send(bytes)])
    }
    return (server.url(host: "localhost").absoluteString, { try server.stop() })
  }

  @Test func `no header bomb takes more memory than a head may`() async {
    await #expect(processExitsWith: .success) {
      let bombs = HeaderBombTests.http1 + HeaderBombTests.http2
      let before = ProcessSnapshot.take().residentBytes
      ProcessSnapshot.resetPeak()
      for bomb in bombs {
        let (url, stop) = try HeaderBombTests.serve(bomb, Recorder())
        var request = TransferRequest(url: url)
        request.options.idleTimeout = bomb.mayTimeOut ? 0.5 : 60
        _ = await Engine.forTests().run(request)
        try stop()
      }
      // The server is in this process too, and holds its bombs: a megabyte or two each, one after another.
      let grown = ProcessSnapshot.take().peakResidentBytes - before
      try require(grown < 32 << 20 || ProcessSnapshot.isSanitized, "memory grew by \(grown)")
    }
  }
}
