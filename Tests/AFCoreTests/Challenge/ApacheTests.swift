import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Digest and Basic against Apache httpd, whose mod_auth_digest checks the target and the nonce.
@Suite struct ApacheTests {
  private func manager(_ asked: Recorder<String>) throws -> AFHTTPSessionManager {
    let manager = AFHTTPSessionManager(baseURL: try RealServers.apache, sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      asked.record("\(challenge.protectionSpace.realm ?? "") \(challenge.previousFailureCount)")
      return URLCredential(user: "user", password: "passwd", persistence: .none)
    }
    return manager
  }

  /// The lines about paths that hold `name`.
  private func log(_ name: String, count: Int) async throws -> [String] {
    let log = try RealServers.apacheLog
    func lines() -> [String] {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").filter { $0.contains(name) }.map(String.init)
    }
    try await eventually { lines().count >= count }
    return lines().map { $0.replacingOccurrences(of: name, with: "NAME") }
  }

  @Test(arguments: ["digest", "basic"])
  func `B83 An upload to WebDAV is asked about once, and never empty`(scheme: String) async throws {
    let asked = Recorder<String>()
    let manager = try manager(asked)
    let name = "up-\(UUID().uuidString)"
    let body = Data(repeating: 7, count: 300_000)
    for number in 1...2 {
      var request = URLRequest(url: try RealServers.apache.appendingPathComponent("\(scheme)/\(name)-\(number)"))
      request.httpMethod = "PUT"
      let stored = try await manager.upload(for: request, from: body)
      #expect(stored.statusCode == 201)
      let read = try await manager.get("\(scheme)/\(name)-\(number)?a=b&c=%20d")
      #expect(read.data == body)
    }
    #expect(asked.values == [scheme == "digest" ? "digest, a realm 0" : "basic 0"])
    let lines = try await log(name, count: 5)
    #expect(
      lines == ["PUT /\(scheme)/NAME-1 401 -"]
        + (1...2).flatMap { ["PUT /\(scheme)/NAME-\($0) 201 user", "GET /\(scheme)/NAME-\($0) 200 user"] })
  }

  @Test func `A nonce that has become old is replaced without a question`() async throws {
    let asked = Recorder<String>()
    let manager = try manager(asked)
    let name = "old-\(UUID().uuidString)"
    var statuses: [String] = []
    // httpd counts a nonce's age in whole seconds.
    try await eventually {
      _ = try? await manager.get("short/\(name)")
      statuses = try await self.log(name, count: 1).filter { $0.contains(" 401 ") }
      return statuses.count >= 2
    }
    #expect(asked.values == ["digest, a realm 0"])
  }

  @Test func `Wrong credentials are refused, and asked about again`() async throws {
    let manager = AFHTTPSessionManager(baseURL: try RealServers.apache, sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    let counts = Recorder<Int>()
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      counts.record(challenge.previousFailureCount)
      return URLCredential(
        user: "user",
        password: challenge.previousFailureCount == 2 ? "passwd" : "guess \(challenge.previousFailureCount)",
        persistence: .none)
    }
    let missing = try await failure { _ = try await manager.get("digest/none-\(UUID().uuidString)") }
    #expect(missing.statusCode == 404)
    #expect(counts.values == [0, 1, 2])
  }
}
