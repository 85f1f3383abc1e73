import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct TransferTests {
  @Test func `A download goes to its destination whole, with progress up to 1`() async throws {
    let directory = try TemporaryDirectory()
    let size: Int64 = 3_000_001
    try await withTestServer(handler: { _ in .pattern(size) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let target = directory.file("file.bin")
      let fractions = Recorder<Double>()
      let response = try await manager.download("a", to: target) { fractions.record($0.fractionCompleted) }
      #expect(response.statusCode == 200)
      #expect(try TestDigest.sha256(ofFile: target.path) == TestPattern.sha256(count: size))
      #expect(fractions.last == 1)
      #expect(fractions.values == fractions.values.sorted())
      #expect(try directory.contents == ["file.bin"])
    }
  }

  @Test func `A download task asks for its destination once the file is there`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .pattern(100_000) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      let sizes = Recorder<Int>()
      let task = manager.downloadTask(
        with: URLRequest(url: server.url("a")), progress: nil,
        destination: { temporary, response in
          sizes.record((try? Data(contentsOf: temporary).count) ?? -1)
          return directory.file((response as? HTTPURLResponse)?.statusCode == 200 ? "ok" : "bad")
        }, completionHandler: done.fileHandler)
      task.resume()
      try await done.wait(for: 1)
      #expect(done.first?.object as? URL == directory.file("ok"))
      #expect(done.first?.error == nil)
      #expect(sizes.values == [100_000])
      #expect(try TestDigest.sha256(ofFile: directory.file("ok").path) == TestPattern.sha256(count: 100_000))
    }
  }

  @Test func `AF-X045 A destination that exists is an error, and the old file stays`() async throws {
    let directory = try TemporaryDirectory()
    let target = try directory.write(Data("old".utf8), to: "file")
    try await withTestServer(handler: { _ in .pattern(1000) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let error = try await failure { _ = try await manager.download("a", to: target) }
      #expect((error.cause as? CocoaError)?.code == .fileWriteFileExists)
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(try directory.contents == ["file"])
    }
  }

  @Test func `A refused download leaves no file and throws with the status`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .text("nothing here", status: 404) }) { server in
      let manager = makeManager(server)
      let error = try await failure { _ = try await manager.download("a", to: directory.file("x")) }
      #expect(error.statusCode == 404)
      #expect(try directory.contents == [])
    }
  }

  @Test func `Uploads from a file, from data and from a stream arrive whole`() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("up.bin")
    try TestPattern.write(count: 2_000_000, to: file.path)
    try await withTestServer(handler: { .text(try $0.bodySHA256() ?? "") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      var request = URLRequest(url: server.url("u"))
      request.httpMethod = "PUT"
      let digest = TestPattern.sha256(count: 2_000_000)
      let fractions = Recorder<Double>()
      let fromFile = try await manager.upload(for: request, fromFile: file) { fractions.record($0.fractionCompleted) }
      let fromData = try await manager.upload(for: request, from: TestPattern.data(count: 2_000_000))
      request.httpBodyStream = InputStream(data: TestPattern.data(count: 2_000_000))
      let fromStream = try await manager.upload(withStreamedRequest: request)
      for response in [fromFile, fromData, fromStream] {
        #expect(String(decoding: response.data, as: UTF8.self) == digest)
      }
      #expect(fractions.last == 1)
      #expect(server.requests.map { $0.value("Content-Length") } == ["2000000", "2000000", nil])
    }
  }

  @Test(arguments: [false, true])
  func `Suspending and resuming in the middle gives the right bytes`(isUpload: Bool) async throws {
    let size: Int64 = 8 << 20
    let directory = try TemporaryDirectory()
    let file = directory.file("up.bin")
    if isUpload { try TestPattern.write(count: size, to: file.path) }
    try await withTestServer(handler: { request in
      guard isUpload else { return .pattern(size).with(.drip(bytes: 256 << 10, every: 0.002), at: .responseHead(0)) }
      return .text(try request.bodySHA256() ?? "")
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      var request = URLRequest(url: server.url("a"))
      let task: AFURLSessionTask
      if isUpload {
        request.httpMethod = "POST"
        task = manager.uploadTask(with: request, fromFile: file, progress: nil, completionHandler: done.handler)
      } else {
        task = manager.downloadTask(
          with: request, progress: nil, destination: { _, _ in directory.file("down") },
          completionHandler: done.fileHandler)
      }
      task.resume()
      for _ in 0..<10 where task.state != .completed {
        // Sleeps so that bytes flow between the stops; nothing is waited for.
        try await Task.sleep(nanoseconds: 2_000_000)
        task.suspend()
        // Sleeps so that the stop lasts.
        try await Task.sleep(nanoseconds: 2_000_000)
        task.resume()
      }
      try await done.wait(for: 1, within: 20)
      #expect(done.first?.error == nil)
      let digest =
        isUpload
        ? String(decoding: done.first?.object as? Data ?? Data(), as: UTF8.self)
        : try TestDigest.sha256(ofFile: directory.file("down").path)
      #expect(digest == TestPattern.sha256(count: size))
    }
  }

  @Test func `A suspended download stands still`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .pattern(64 << 20) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      let task = manager.downloadTask(
        with: URLRequest(url: server.url("a")), progress: nil, destination: { _, _ in directory.file("down") },
        completionHandler: done.fileHandler)
      task.resume()
      task.suspend()
      #expect(task.state == .suspended)
      // Sleeps because there is nothing that would tell of what must not happen.
      try await Task.sleep(nanoseconds: 300_000_000)
      #expect(done.count == 0)
      task.resume()
      try await done.wait(for: 1, within: 20)
      #expect(try TestDigest.sha256(ofFile: directory.file("down").path) == TestPattern.sha256(count: 64 << 20))
    }
  }

  @Test func `Redirects are followed: 302 makes a POST a GET, 307 sends the body again`() async throws {
    let target = TestPattern.data(count: 300_000)
    try await withTestServer(handler: { request in
      switch request.path {
      case "/302": return .redirect(302, to: "/end")
      case "/307": return .redirect(307, to: "/end")
      default: return .text("\(request.method) \(try request.bodySHA256() ?? "")")
      }
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      var request = URLRequest(url: server.url("302"))
      request.httpMethod = "POST"
      let first = try await manager.upload(for: request, from: target)
      #expect(String(decoding: first.data, as: UTF8.self).hasPrefix("GET "))
      #expect(first.request?.url?.path == "/end")
      #expect(server.requests.last?.value("Content-Length") == nil)
      request.url = server.url("307")
      let second = try await manager.upload(for: request, from: target)
      #expect(String(decoding: second.data, as: UTF8.self) == "POST \(TestDigest.sha256(target))")
    }
  }

  @Test func `Basic credentials of the storage answer a challenge`() async throws {
    try await withTestServer(handler: { request in
      request.value("Authorization") == "Basic " + Data("user:pass".utf8).base64EncodedString()
        ? .text("in") : TestResponse(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], body: .bytes([0x6E]))
    }) { server in
      let configuration = quietConfiguration()
      let storage = URLCredentialStorage()
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "r",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      storage.setDefaultCredential(
        URLCredential(user: "user", password: "pass", persistence: .forSession), for: space)
      configuration.urlCredentialStorage = storage
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      let response = try await manager.get("a")
      #expect(String(decoding: response.data, as: UTF8.self) == "in")
      #expect(server.requests.count == 2)
    }
  }

  @Test func `The security policy is in force: the right pin passes, the wrong one and none do not`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let foreign = try TestAuthority.make()
    let server = try TestServer(.init(tls: TestTLS(identity))) { _ in .json("{}") }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    let policy = try AFSecurityPolicy.trusting(authority.certificate, pinning: .publicKey)
    manager.securityPolicy = policy
    _ = try await manager.get("a")
    policy.pinnedCertificates = [foreign.certificate]
    let error = try await failure { _ = try await manager.get("a") }
    #expect(error.urlError?.code == .serverCertificateUntrusted)
    #expect(error.localizedDescription.contains("localhost"))
    #expect(error.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] is AFServerTrust)
    #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
    manager.securityPolicy = .default()
    let untrusted = try await failure { _ = try await manager.get("a") }
    #expect(untrusted.urlError?.code == .serverCertificateUntrusted)
    manager.securityPolicy = try .trusting(authority.certificate, pinning: .certificate)
    _ = try await manager.get("a")
    #expect(server.requests.count == 2)
    try server.stop()
  }
}
