import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// AFNetworking's own tests of its HTTP session manager that need no outside server.
@Suite struct HTTPManagerTests {
  @Test func `AF-T152 Each manager is its own`() {
    #expect(AFHTTPSessionManager() !== AFHTTPSessionManager())
    #expect(AFHTTPSessionManager().baseURL == nil)
  }

  @Test func `AF-T155 AF-X047 A redirect block sees the redirect, and may refuse it`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/redirect"
        ? TestResponse(302, headers: [("Location", "/get")], body: .bytes(Array("moved".utf8))) : .json("{}")
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.responseSerializer.acceptableStatusCodes = nil
      let seen = Recorder<Int>()
      manager.setTaskWillPerformHTTPRedirectionBlock { _, _, response, request in
        seen.record((response as? HTTPURLResponse)?.statusCode ?? 0)
        return request
      }
      let followed = try await manager.get("redirect")
      #expect(seen.values == [302])
      #expect(followed.statusCode == 200)
      manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in nil }
      let refused = try await manager.get("redirect")
      #expect(refused.statusCode == 302)
      #expect(refused.data == Data("moved".utf8))
      manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, request in
        var request = request
        request.setValue("yes", forHTTPHeaderField: "X-Changed")
        return request
      }
      _ = try await manager.get("redirect")
      #expect(server.requests.last?.value("X-Changed") == "yes")
    }
  }

  @Test func `AF-T156 AF-T157 AF-X044 The finish block wins over the destination; nil leaves it to the destination`()
    async throws
  {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .pattern(10) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      func download(_ destination: (@Sendable (URL, URLResponse) -> URL)?) async throws -> URL? {
        let count = done.count
        manager.downloadTask(
          with: URLRequest(url: server.url("a")), progress: nil, destination: destination,
          completionHandler: done.fileHandler
        ).resume()
        try await done.wait(for: count + 1)
        return done.last?.object as? URL
      }
      let own = try await download { _, _ in directory.file("own") }
      #expect(own == directory.file("own"))
      manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in directory.file("block") }
      let block = try await download { _, _ in directory.file("other") }
      #expect(block == directory.file("block"))
      manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in nil }
      let fallen = try await download { _, _ in directory.file("third") }
      #expect(fallen == directory.file("third"))
      let none = try await download(nil)
      #expect(none == nil)
      #expect(try directory.contents == ["block", "own", "third"])
    }
  }

  @Test func `AF-X046 A refused status gives a download task's handler file and error`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .text("gone", status: 404) }) { server in
      let manager = makeManager(server)
      let done = Recorder<Completion>()
      manager.downloadTask(
        with: URLRequest(url: server.url("a")), progress: nil, destination: { _, _ in directory.file("x") },
        completionHandler: done.fileHandler
      ).resume()
      try await done.wait(for: 1)
      #expect(done.first?.object as? URL == directory.file("x"))
      #expect((done.first?.error as? NSError)?.code == -1011)
    }
  }

  @Test func `AF-T160 AF-T161 AF-T162 A manager can be archived`() throws {
    #expect(AFHTTPSessionManager.supportsSecureCoding)
    let configuration = quietConfiguration()
    configuration.httpAdditionalHeaders = ["X-Key": "value"]
    configuration.timeoutIntervalForRequest = 17
    let manager = AFHTTPSessionManager(
      baseURL: URL(string: "https://example.com/api"), sessionConfiguration: configuration)
    manager.requestSerializer = AFJSONRequestSerializer()
    manager.securityPolicy.validatesDomainName = false
    let data = try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
    #expect(!data.isEmpty)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: AFHTTPSessionManager.self, from: data))
    #expect(read.baseURL?.absoluteString == "https://example.com/api/")
    #expect(read.requestSerializer is AFJSONRequestSerializer)
    #expect(read.responseSerializer is AFJSONResponseSerializer)
    #expect(read.securityPolicy.validatesDomainName == false)
    #expect(read.session.configuration.timeoutIntervalForRequest == 17)
    #expect(read.session.configuration.httpAdditionalHeaders?["X-Key"] as? String == "value")
  }

  @Test func `AF-T163 AF-X058 A copy has the settings, and neither blocks nor tasks`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      manager.requestSerializer.setValue("v", forHTTPHeaderField: "X-H")
      manager.setTaskDidComplete { _, _, _ in Issue.record("a block was copied") }
      manager.dataTask(with: URLRequest(url: server.url("a")))
      let copy = try #require(manager.copy() as? AFHTTPSessionManager)
      #expect(copy.baseURL == manager.baseURL)
      #expect(copy.tasks.isEmpty)
      #expect(copy.completionQueue == nil)
      let echo: VerbTests.Echo = try await copy.get("a")
      #expect(echo.headers["x-h"] == "v")
      copy.requestSerializer.setValue("other", forHTTPHeaderField: "X-H")
      #expect(manager.requestSerializer.value(forHTTPHeaderField: "X-H") == "v")
    }
  }

  @Test(arguments: [AFSSLPinningMode.none, .publicKey, .certificate], ["https://a.example", "http://a.example", ""])
  func `AF-T178 to AF-T185 A policy that pins needs an https base URL`(mode: AFSSLPinningMode, base: String)
    async throws
  {
    let manager = AFHTTPSessionManager(baseURL: URL(string: base), sessionConfiguration: quietConfiguration())
    manager.securityPolicy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: [])
    let error = try await failure { _ = try await manager.get("http://127.0.0.1:1/") }
    let isRefused = error.cause is AFInvalidSecurityPolicyError
    #expect(isRefused == (mode != .none && base.hasPrefix("https") == false))
    #expect(!isRefused || error.localizedDescription.hasPrefix("Invalid Security Policy"))
  }

  @Test(arguments: [AFSSLPinningMode.publicKey, .certificate])
  func `AF-T186 AF-T187 AF-X052 A foreign pin gives an error that names the host`(mode: AFSSLPinningMode) async throws {
    let authority = try TestAuthority.make()
    let foreign = try TestAuthority.make()
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .json("{}") }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.completionQueue = DispatchQueue(label: "completions")
    let policy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: [foreign.certificate])
    policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
    manager.securityPolicy = policy
    let errors = Recorder<URLError>()
    manager.get("", success: nil, failure: { _, error in if let error = error as? URLError { errors.record(error) } })
    try await errors.wait(for: 1)
    let error = try #require(errors.first)
    #expect(error.code == .serverCertificateUntrusted)
    #expect(error.localizedDescription.contains("localhost"))
    #expect((error.errorUserInfo[NSURLErrorFailingURLErrorKey] as? URL) == server.url("", host: "localhost"))
    #expect(
      error.errorUserInfo["NSErrorFailingURLStringKey"] as? String == server.url("", host: "localhost").absoluteString)
    #expect(error.errorUserInfo[NSURLErrorFailingURLPeerTrustErrorKey] is AFServerTrust)
    #expect(server.requests.isEmpty)
    try server.stop()
  }

  @Test func `AF-T158 A query that cannot be made: no task, and a failure without one`() async throws {
    let manager = AFHTTPSessionManager(baseURL: URL(string: "http://127.0.0.1:1"))
    manager.completionQueue = DispatchQueue(label: "completions")
    manager.requestSerializer.setQueryStringSerializationWith { _, _, error in
      error?.pointee = NSError(domain: "mine", code: 7)
      return ""
    }
    let failures = Recorder<[Int]>()
    let task = manager.get(
      "path", parameters: ["key": "value"], success: { _, _ in failures.record([]) },
      failure: { failures.record([$0 == nil ? 0 : 1, ($1 as NSError).code]) })
    #expect(task == nil)
    try await failures.wait(for: 1)
    #expect(failures.values == [[0, 7]])
  }

  @Test func `AF-T188 A challenge handler's credential is used`() async throws {
    try await withTestServer(handler: { request in
      request.value("Authorization") == "Basic " + Data("u:p".utf8).base64EncodedString()
        ? .json(#"{"in":true}"#)
        : TestResponse(401, headers: [("WWW-Authenticate", #"Basic realm="Fake Realm""#)])
    }) { server in
      let manager = makeManager(server)
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        challenge.protectionSpace.realm == "Fake Realm"
          ? URLCredential(user: "u", password: "p", persistence: .none)
          : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      let response = try await manager.get("basic-auth/u/p")
      #expect(response.statusCode == 200)
    }
  }

  @Test func `AF-X041 Completions run on the completion queue, in the group`() async throws {
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      let key = DispatchSpecificKey<Bool>()
      let queue = DispatchQueue(label: "mine")
      queue.setSpecific(key: key, value: true)
      let group = DispatchGroup()
      manager.completionQueue = queue
      manager.completionGroup = group
      let seen = Recorder<Bool>()
      manager.get("a", success: { _, _ in seen.record(DispatchQueue.getSpecific(key: key) == true) })
      try await seen.wait(for: 1)
      let left = Recorder<Int>()
      group.notify(queue: queue) { left.record(seen.count) }
      try await left.wait(for: 1)
      #expect(seen.values == [true])
      #expect(left.values == [1])
    }
  }

  @Test func `AF-X042 What a completion notification holds`() async throws {
    try await withTestServer(handler: { request in
      switch request.path {
      case "/good": .json(#"{"a":1}"#)
      case "/undecodable": .json("{")
      default: .none(.close)
      }
    }) { server in
      let manager = makeManager(server)
      func keys(_ path: String) async throws -> NotificationRecorder.Note {
        let task = manager.dataTask(with: URLRequest(url: server.url(path)))
        let notes = NotificationRecorder(.AFNetworkingTaskDidComplete, object: task)
        task.resume()
        return try #require(try await notes.wait(for: 1).first)
      }
      let always = [
        AFNetworkingTaskDidCompleteResponseDataKey, AFNetworkingTaskDidCompleteResponseSerializerKey,
        AFNetworkingTaskDidCompleteSessionTaskMetrics,
      ]
      let good = try await keys("good")
      #expect(good.keys == (always + [AFNetworkingTaskDidCompleteSerializedResponseKey]).sorted())
      #expect(good.data == Data(#"{"a":1}"#.utf8))
      let undecodable = try await keys("undecodable")
      #expect(undecodable.keys == (always + [AFNetworkingTaskDidCompleteErrorKey]).sorted())
      let lost = try await keys("lost")
      #expect(lost.keys == (always + [AFNetworkingTaskDidCompleteErrorKey]).sorted())
      #expect(lost.errorCode == URLError.networkConnectionLost.rawValue)
    }
  }

  @Test func `AF-X048 A response can be cancelled, or made a download`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .pattern(100_000) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
      manager.dataTask(with: URLRequest(url: server.url("a")), completionHandler: done.handler).resume()
      try await done.wait(for: 1)
      #expect(done.last?.code == .cancelled)
      manager.setDataTaskDidReceiveResponseBlock { _, _, _ in
        // By number: Foundation calls the case deprecated, because its own session cannot do it.
        AFURLSession.ResponseDisposition(rawValue: 2) ?? .cancel
      }
      let became = Recorder<AFURLSessionDownloadTask>()
      manager.setDataTaskDidBecomeDownloadTaskBlock { _, _, task in became.record(task) }
      manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in directory.file("x") }
      let fractions = Recorder<Double>()
      manager.dataTask(
        with: URLRequest(url: server.url("a")), uploadProgress: nil,
        downloadProgress: { fractions.record($0.fractionCompleted) }, completionHandler: done.handler
      ).resume()
      try await done.wait(for: 2)
      #expect(done.last?.object as? URL == directory.file("x"))
      #expect(became.count == 1)
      #expect(fractions.last == 1)
      #expect(try TestDigest.sha256(ofFile: directory.file("x").path) == TestPattern.sha256(count: 100_000))
    }
  }
}
