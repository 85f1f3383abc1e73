import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFTransport

/// An expectation of the caller's own, and what servers say to it (RFC 9110 §10.1.1).
@Suite struct ExpectTests {
  private static let size = 1 << 20

  private func put(_ server: RawServer, asData: Bool) -> TransferRequest {
    var request = TransferRequest(url: server.url().absoluteString, method: "PUT")
    request.headers = [.init("Expect", "100-continue")]
    request.body = asData ? .data(Data(count: Self.size)) : .reader(CountingBody(count: Self.size))
    request.options.idleTimeout = 5
    return request
  }

  private static let refusals = [
    "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 3\r\n\r\nnay",
    "HTTP/1.1 417 Expectation Failed\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnay\r\n0\r\n\r\n",
    "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 3\r\n\r\nnay",
    "HTTP/1.0 417 Expectation Failed\r\n\r\nnay",
  ]

  @Test(arguments: refusals, [true, false])
  func `F31, B82: a 417 is answered by the same request without the expectation, once`(
    refusal: String, asData: Bool
  ) async throws {
    let heads = Recorder<Bool>()
    let server = try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        let expects = String(decoding: head, as: UTF8.self).lowercased().contains("\r\nexpect:")
        heads.record(expects)
        if expects {
          try connection.send(refusal)
          if refusal.contains("close") || refusal.contains("1.0") { try connection.close() }
        } else {
          let body = try connection.read(exactly: Self.size)
          try connection.send("HTTP/1.1 \(body.count == Self.size ? 201 : 400) X\r\nContent-Length: 2\r\n\r\nok")
        }
      }
    }
    let probe = TransferProbe()
    let outcome = await Engine.forTests().run(put(server, asData: asData), probe: probe)
    #expect(outcome.failure == nil)
    #expect(probe.state.withLock { $0.heads.map(\.statusCode) } == [201])
    #expect(outcome.body == Data("ok".utf8))
    #expect(heads.values == [true, false])
    #expect(outcome.bytesSent == Self.size)
    try server.stop()
  }

  @Test func `F31: a second 417 is the answer`() async throws {
    let server = try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        if !String(decoding: head, as: UTF8.self).lowercased().contains("\r\nexpect:") {
          _ = try connection.read(exactly: Self.size)
        }
        try connection.send(Self.refusals[0])
      }
    }
    let probe = TransferProbe()
    #expect(await Engine.forTests().run(put(server, asData: true), probe: probe).failure == nil)
    #expect(probe.head?.statusCode == 417)
    try server.stop()
  }

  @Test(arguments: [0.3, 10])
  func `B82: the body waits for a 100, but for no longer than a second`(seconds: Double) async throws {
    let moments = Recorder<Double>()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      let start = MonotonicTime.now
      if seconds < 1 {
        try connection.wait(seconds)
        try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      }
      _ = try connection.read(exactly: 1)
      moments.record(MonotonicTime.now - start)
      _ = try connection.read(exactly: Self.size - 1)
      try connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
    }
    #expect(await Engine.forTests().run(put(server, asData: true)).failure == nil)
    let waited = try #require(moments.first)
    #expect(waited > (seconds < 1 ? 0.25 : 0.9) && waited < 5)
    try server.stop()
  }

  @Test func `B82: a final status in place of a 100 is the answer, and no byte of the body is sent`() async throws {
    let bytes = Recorder<Int>()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
      while true {
        let more = try connection.read()
        if more.isEmpty { return }
        bytes.record(more.count)
      }
    }
    let probe = TransferProbe()
    let outcome = await Engine.forTests().run(put(server, asData: true), probe: probe)
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("no".utf8))
    #expect(probe.head?.statusCode == 403)
    try server.stop()
    #expect(bytes.values.isEmpty)
  }
}
