import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct EngineTests {
  @Test func `a GET gives status, fields and body`() async throws {
    let engine = Engine.forTests()
    try await withTestServer(handler: { _ in .text("hello").with("X-Empty", "") }) { server in
      let probe = TransferProbe()
      let outcome = await engine.run(.get(server.url("a?b=c")), probe: probe)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("hello".utf8))
      #expect(probe.head?.statusCode == 200)
      #expect(probe.head?.value("content-LENGTH") == "5")
      #expect(probe.head?.value("X-Empty") == "")
      let request = try #require(server.requests.first)
      #expect(request.target == "/a?b=c")
      #expect(request.method == "GET")
      #expect(request.value("Content-Length") == nil)
      #expect(request.value("Expect") == nil)
    }
  }

  @Test(arguments: [0, 1, 65_280, 65_536, 65_537, 3_000_000])
  func `a data body arrives whole, with its length`(count: Int) async throws {
    let engine = Engine.forTests()
    let body = TestPattern.data(count: count)
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let outcome = await engine.run(.post(server.url(), .data(body)))
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
      let request = try #require(server.requests.first)
      #expect(request.value("Content-Length") == "\(count)")
      #expect(request.value("Transfer-Encoding") == nil)
      #expect(request.value("Content-Type") == nil)
      #expect(request.bodySHA256 == TestDigest.sha256(body))
    }
  }

  @Test func `HTTPS asks the evaluator, with the chain and the host`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    let seen = Recorder<PeerTrust>()
    let engine = Engine.forTests(trust: {
      seen.record($0)
      return .accept
    })
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("secret") }) { server in
      let outcome = await engine.run(.get(server.url(host: "localhost")))
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("secret".utf8))
      let peer = try #require(seen.values.first)
      #expect(peer.host == "localhost")
      #expect(peer.port == Int(server.port))
      #expect(peer.chain.count >= 1)
    }
  }

  @Test func `connections are not inherited by programs that the process starts`() async throws {
    let engine = Engine.forTests()
    try await withTestServer(handler: { _ in .text("hello") }) { server in
      #expect(await engine.run(.get(server.url())).failure == nil)
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
      let connections = descriptors.filter { descriptor in
        var peer = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let known = withUnsafeMutableBytes(of: &peer) { bytes in
          getpeername(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return known == 0 && peer.sin_family == AF_INET && UInt16(bigEndian: peer.sin_port) == server.port
      }
      #expect(connections.count == 1)
      for connection in connections { #expect(fcntl(connection, F_GETFD) & FD_CLOEXEC != 0) }
    }
  }

  @Test func `five thousand requests, six at a time`() async throws {
    let engine = Engine.forTests()
    try await withTestServer(handler: { _ in .text("x") }) { server in
      let url = server.url()
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<5000 { group.addTask { await engine.run(.get(url)).failure == nil } }
        for await succeeded in group { #expect(succeeded) }
      }
      #expect(server.requestCount == 5000)
      #expect(server.acceptCount <= 6)
    }
  }
}
