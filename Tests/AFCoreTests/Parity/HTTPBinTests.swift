import AFCore
import AFMultipart
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// AFNetworking's tests that talk to httpbin, against a real one on loopback. `Scripts/test` starts it.
@Suite struct HTTPBinTests {
  private func makeManager() throws -> AFHTTPSessionManager {
    let manager = AFHTTPSessionManager(
      baseURL: try RealServers.httpbin, sessionConfiguration: quietConfiguration())
    manager.completionQueue = DispatchQueue(label: "completions")
    return manager
  }

  struct Echo: Decodable, Sendable {
    var headers: [String: String]
    var form: [String: String]?
    var files: [String: String]?
    var args: [String: String]?
  }

  /// What a verb's closures were given.
  enum Outcome: Sendable, Equatable {
    case success(hasObject: Bool)
    case failure(hasTask: Bool)
  }

  private func outcome(
    _ call: (
      @escaping @Sendable (AFURLSessionDataTask, Any?) -> Void,
      @escaping @Sendable (AFURLSessionDataTask?, any Error) -> Void
    ) -> AFURLSessionDataTask?
  ) async throws -> Outcome? {
    let outcomes = Recorder<Outcome>()
    let task = call(
      { _, object in outcomes.record(.success(hasObject: object != nil)) },
      { task, _ in outcomes.record(.failure(hasTask: task != nil)) })
    try await outcomes.wait(for: 1)
    #expect(task?.state == .completed)
    return outcomes.first
  }

  @Test func `AF-T153 AF-T154 AF-T167 AF-T168 AF-T169 AF-T170 AF-T171 Verbs call success or failure`() async throws {
    let manager = try makeManager()
    func get(_ path: String) async throws -> Outcome? {
      try await outcome { manager.get(path, success: $0, failure: $1) }
    }
    let found = try await get("get")
    #expect(found == .success(hasObject: true))
    for status in [200, 204] {
      let empty = try await get("status/\(status)")
      #expect(empty == .success(hasObject: false))
    }
    let missing = try await get("status/404")
    #expect(missing == .failure(hasTask: true))
    let head = try await outcome { success, failure in
      manager.head("get", success: { success($0, nil) }, failure: failure)
    }
    #expect(head == .success(hasObject: false))
  }

  @Test func `AF-T159 AF-T172 AF-T174 AF-T175 AF-T176 Parameters and headers arrive where they belong`() async throws {
    let manager = try makeManager()
    manager.requestSerializer.setValue("default value", forHTTPHeaderField: "field")
    manager.requestSerializer.setValue("bar", forHTTPHeaderField: "X-Bar")
    let (parameters, headers) = (["key": "value"], ["field": "value"])
    let post: Echo = try await manager.post("post", parameters: parameters, headers: headers)
    let put: Echo = try await manager.put("put", parameters: parameters, headers: headers)
    let patch: Echo = try await manager.patch("patch", parameters: parameters, headers: headers)
    let delete: Echo = try await manager.delete("delete", parameters: parameters, headers: headers)
    for echo in [post, put, patch] { #expect(echo.form == ["key": "value"]) }
    #expect(delete.args == ["key": "value"])
    for echo in [post, put, patch, delete] {
      #expect(echo.headers["Field"] == "value")
      #expect(echo.headers["X-Bar"] == "bar")
    }
  }

  @Test func `AF-T173 AF-T166 A multipart form arrives in its parts`() async throws {
    let manager = try makeManager()
    let fractions = Recorder<Double>()
    let echo: Echo = try await manager.post(
      "post", parameters: ["key": "value"], headers: ["field": "value"],
      constructingBodyWith: { form in
        form.appendPart(
          withFileData: Data("Data".utf8), name: "DataName", fileName: "DataFileName", mimeType: "data")
        form.appendPart(withForm: Data(String(repeating: "a", count: 20_000).utf8), name: "long")
      }, progress: { fractions.record($0.fractionCompleted) })
    #expect(echo.files == ["DataName": "Data"])
    #expect(echo.form?["key"] == "value")
    #expect(echo.form?["long"]?.count == 20_000)
    #expect(echo.headers["Field"] == "value")
    #expect(fractions.last == 1)
  }

  @Test func `AF-T177 AF-T188 Basic credentials, set beforehand or by the challenge handler`() async throws {
    let manager = try makeManager()
    manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("user", password: "password")
    let hidden = try await manager.get("hidden-basic-auth/user/password")
    #expect(hidden.statusCode == 200)
    manager.requestSerializer.clearAuthorizationHeader()
    let none = try await failure { _ = try await manager.get("basic-auth/user/password") }
    #expect(none.statusCode == 401)
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      challenge.protectionSpace.realm == "Fake Realm"
        ? URLCredential(user: "user", password: "password", persistence: .none)
        : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
    }
    let basic = try await manager.get("basic-auth/user/password")
    #expect(basic.statusCode == 200)
  }

  @Test func `Digest credentials by the challenge handler, for GET and for a POST with a body`() async throws {
    let manager = try makeManager()
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
        ? URLCredential(user: "user", password: "password", persistence: .none) : NSNull()
    }
    let digest = try await manager.get("digest-auth/auth/user/password")
    #expect(digest.statusCode == 200)
    manager.setAuthenticationChallengeHandler { _, _, _, _ in
      URLCredential(user: "user", password: "wrong", persistence: .none)
    }
    let wrong = try await failure { _ = try await manager.get("digest-auth/auth/user/password") }
    #expect(wrong.statusCode == 401)
  }

  @Test func `AF-T155 Redirects, compressed bodies and streams`() async throws {
    let manager = try makeManager()
    let seen = Recorder<Int>()
    manager.setTaskWillPerformHTTPRedirectionBlock { _, _, response, request in
      seen.record((response as? HTTPURLResponse)?.statusCode ?? 0)
      return request
    }
    let redirected = try await manager.get("redirect/3")
    #expect(redirected.statusCode == 200)
    #expect(seen.values == [302, 302, 302])
    for path in ["gzip", "deflate"] {
      let response = try await manager.get(path)
      #expect(response.value is [String: Any])
    }
    let address = try RealServers.httpbin.appendingPathComponent("stream/20")
    var lines = 0
    for try await byte in try await manager.stream(for: URLRequest(url: address)) where byte == 0x0A { lines += 1 }
    #expect(lines == 20)
  }
}
