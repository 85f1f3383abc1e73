import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// A handle that served a plain request keeps its options for the next. Nothing of one request may show in another.
@Suite struct HandleReuseTests {
  private static var kinds: [(String, TransferRequest)] {
    func request(_ method: String, _ body: TransferRequest.Body = .none, _ headers: [(String, String)] = [])
      -> TransferRequest
    {
      TransferRequest(
        url: "/\(method.lowercased())", method: method, headers: headers.map { .init($0.0, $0.1) }, body: body)
    }
    var undecoded = request("GET")
    undecoded.options.decodesContent = false
    var large = request("GET")
    large.options.expectsLargeResponse = true
    var basic = request("GET")
    basic.options.authentication = TransferAuthentication(scheme: .basic, user: "user", password: "secret")
    return [
      ("plain", request("GET")), ("another URL", TransferRequest(url: "/other?x=1")),
      ("fields", request("GET", .none, [("X-One", "1"), ("X-Two", "")])),
      ("its own Accept-Encoding", request("GET", .none, [("Accept-Encoding", "identity")])),
      ("undecoded", undecoded), ("large", large), ("credentials", basic), ("HEAD", request("HEAD")),
      ("DELETE", request("DELETE")), ("OPTIONS", request("OPTIONS")),
      ("POST", request("POST", .data(Data("abc".utf8)))),
      ("empty PUT", request("PUT")),
    ]
  }

  @Test func `a request after any other looks as it does on a fresh handle`() async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      func sent(_ requests: [TransferRequest]) async throws -> [RecordedRequest] {
        let engine = Engine.forTests()
        let before = server.requestCount
        for var request in requests {
          request.url = server.url(String(request.url.dropFirst())).absoluteString
          let outcome = await engine.run(request)
          #expect(outcome.failure == nil)
          #expect(outcome.body == (request.method == "HEAD" ? Data() : Data("ok".utf8)))
        }
        engine.shutDown(cancelling: true)
        return Array(server.requests[before...])
      }
      for (name, request) in Self.kinds {
        let fresh = try #require(try await sent([request]).first)
        for (other, first) in Self.kinds {
          let pair = try await sent([first, request, request])
          for again in pair.dropFirst() {
            #expect(again.method == fresh.method, "\(name) after \(other)")
            #expect(again.target == fresh.target, "\(name) after \(other)")
            #expect(
              again.headers.map { "\($0.name): \($0.value)" } == fresh.headers.map { "\($0.name): \($0.value)" },
              "\(name) after \(other)")
            #expect(again.bodySHA256 == fresh.bodySHA256, "\(name) after \(other)")
          }
        }
      }
    }
  }
}
