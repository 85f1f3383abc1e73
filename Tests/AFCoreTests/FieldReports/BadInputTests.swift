import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Bad input: each gives a typed error that names the URL and the cause, in time, and the session goes on working.
@Suite struct BadInputTests {
  @Test func `URLs that cannot be fetched`() async throws {
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      let malformed = try await failure { _ = try await manager.get("http://[::1") }
      #expect(malformed.code == URLError.badURL.rawValue)
      #expect(malformed.localizedDescription.contains("http://[::1"))
      let scheme = try await failure { _ = try await manager.get("ftp://host/file") }
      #expect(scheme.urlError?.code == .unsupportedURL)
      #expect(scheme.localizedDescription.contains("ftp://host/file"))
      let start = MonotonicTime.now
      let unreachable = try await failure { _ = try await manager.get("http://127.0.0.1:1/a") }
      #expect(unreachable.urlError?.code == .cannotConnectToHost)
      #expect(unreachable.urlError?.failingURL?.absoluteString == "http://127.0.0.1:1/a")
      #expect((unreachable.userInfo[NSUnderlyingErrorKey] as? AFTransportError)?.curlCode == 7)
      let unknown = try await failure { _ = try await manager.get("http://no-such-host.invalid/") }
      #expect(unknown.urlError?.code == .cannotFindHost)
      #expect(unknown.localizedDescription.contains("no-such-host.invalid"))
      #expect(MonotonicTime.now - start < 60)
      _ = try await manager.get("good")
    }
  }

  @Test func `Secrets in a URL do not reach descriptions`() async throws {
    let manager = AFURLSessionManager(sessionConfiguration: quietConfiguration())
    let url = try #require(URL(string: "http://user:secret@127.0.0.1:1/a"))
    let error = try await failure { _ = try await manager.data(for: URLRequest(url: url)) }
    #expect(error.urlError?.code == .cannotConnectToHost)
    let everything = String(describing: error.userInfo)
    #expect(!everything.contains("secret"))
    #expect(!error.localizedDescription.contains("secret"))
  }

  @Test func `Files that cannot be sent`() async throws {
    let directory = try TemporaryDirectory()
    let big = directory.file("big")
    try TestPattern.write(count: 32 << 20, to: big.path)
    try await withTestServer(handler: { request in
      guard request.path == "/shrink" else { return .text("\(try request.bodySHA256() ?? "")") }
      try request.readBody(upTo: 1 << 20)
      truncate(big.path, 2 << 20)
      return .text("\(try request.bodySHA256() ?? "")")
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      func upload(_ file: URL, to path: String = "up") async throws {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = "PUT"
        _ = try await manager.upload(for: request, fromFile: file)
      }
      let missing = try await failure { try await upload(directory.file("none")) }
      #expect(missing.urlError?.code == .fileDoesNotExist)
      #expect(missing.localizedDescription.contains("none"))
      let folder = try await failure { try await upload(directory.url) }
      #expect(folder.urlError != nil)
      let shrunk = try await failure { try await upload(big, to: "shrink") }
      #expect(shrunk.urlError?.code == .requestBodyStreamExhausted)
      #expect(shrunk.userInfo[NSUnderlyingErrorKey] != nil)
      #expect(shrunk.urlError?.failingURL == server.url("shrink"))
      _ = try await manager.get("good")
    }
  }

  @Test func `Servers that are not trusted`() async throws {
    let authority = try TestAuthority.make()
    var profile = CertificateProfile(names: ["localhost"])
    profile.notBefore = Date(timeIntervalSinceNow: -7200)
    profile.notAfter = Date(timeIntervalSinceNow: -3600)
    let expired = try authority.issue(profile)
    let server = try TestServer(.init(tls: TestTLS(expired))) { _ in .json("{}") }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.securityPolicy = try .trusting(authority.certificate)
    let error = try await failure { _ = try await manager.get("a") }
    #expect(error.urlError?.code == .serverCertificateUntrusted)
    #expect((error.userInfo[NSUnderlyingErrorKey] as? AFSecurityError)?.code == .expired)
    #expect(error.localizedDescription.contains("localhost"))
    #expect(server.requests.isEmpty)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(1))) func `One upload that stalls delays nobody else`() async throws {
    try await withTestServer(handler: { .text("\(try $0.bodySHA256() ?? "")") }) { server in
      let configuration = quietConfiguration()
      configuration.httpMaximumConnectionsPerHost = 16
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      var request = URLRequest(url: server.url("stalled"))
      request.httpMethod = "POST"
      let gate = DispatchSemaphore(value: 0)
      request.httpBodyStream = SlowStream(pieces: 1, size: 10) { gate.wait() }
      let stalled = request
      let slow = Task { try await manager.upload(withStreamedRequest: stalled).statusCode }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<7 {
          group.addTask {
            let data = TestPattern.data(count: 1 << 20)
            var request = URLRequest(url: server.url("up"))
            request.httpMethod = "POST"
            let response = try await manager.upload(for: request, from: data)
            #expect(String(decoding: response.data, as: UTF8.self) == TestDigest.sha256(data))
          }
        }
        for _ in 0..<100 { group.addTask { _ = try await manager.get("get") } }
        try await group.waitForAll()
      }
      // All the others are done, and only now may it go on.
      gate.signal()
      let status = try await slow.value
      #expect(status == 200)
    }
  }
}
