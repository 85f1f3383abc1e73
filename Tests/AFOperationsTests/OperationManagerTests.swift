import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

@Suite struct OperationManagerTests {
  @Test func `Every verb of 2.x sends its method and its parameters where they belong`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeOperationManager(server)
      let calls = Recorder<String>()
      let success: @Sendable (AFHTTPRequestOperation, Any?) -> Void = { _, object in
        calls.record((object as? [String: Any])?["method"] as? String ?? "?")
      }
      manager.get("a", parameters: ["k": "v"], success: success, failure: nil)
      manager.post("a", parameters: ["k": "v"], success: success)
      manager.put("a", parameters: ["k": "v"], success: success)
      manager.patch("a", parameters: ["k": "v"], success: success)
      manager.delete("a", parameters: ["k": "v"], success: success)
      manager.head("a", parameters: ["k": "v"], success: { _ in calls.record("HEAD") })
      manager.post(
        "form", parameters: ["k": "v"],
        constructingBodyWith: {
          $0.appendPart(withFileData: Data("f".utf8), name: "f", fileName: "f", mimeType: "a/b")
        },
        success: success)
      try await calls.wait(for: 7)
      #expect(calls.values.sorted() == ["DELETE", "GET", "HEAD", "PATCH", "POST", "POST", "PUT"])
      #expect(server.requests.filter { $0.path == "/a" }.allSatisfy { ($0.query ?? $0.bodyText) == "k=v" })
      for twin in [manager.get, manager.post, manager.put, manager.patch, manager.delete, manager.head] {
        #expect(try await twin("a", ["k": "v"]).response?.statusCode == 200)
      }
    }
  }

  @Test(arguments: ["a b", "http://["])
  func `A request that cannot be made gives no operation, and failure is called on the completion queue`(
    _ path: String
  ) async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let manager = makeOperationManager(server)
      let failures = Recorder<Bool>()
      let queue = try #require(manager.completionQueue)
      let failure: @Sendable (AFHTTPRequestOperation?, any Error) -> Void = { operation, _ in
        dispatchPrecondition(condition: .onQueue(queue))
        failures.record(operation == nil)
      }
      #expect(manager.get(path, success: { _, _ in }, failure: failure) == nil)
      #expect(manager.post(path, constructingBodyWith: { _ in }, success: { _, _ in }, failure: failure) == nil)
      manager.requestSerializer = AFJSONRequestSerializer()
      #expect(manager.post("a", parameters: ["d": Double.nan], success: { _, _ in }, failure: failure) == nil)
      try await failures.wait(for: 3)
      #expect(failures.values == [true, true, true] && server.requestCount == 0)
    }
  }

  @Test func `What the manager is told, its operations are`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let manager = makeOperationManager(server)
      manager.responseSerializer = AFStringResponseSerializer()
      manager.credential = URLCredential(user: "u", password: "p", persistence: .none)
      manager.shouldUseCredentialStorage = false
      manager.completionGroup = DispatchGroup()
      manager.operationQueue = OperationQueue()
      manager.operationQueue.maxConcurrentOperationCount = 2
      let operation = try #require(manager.get("a", success: nil))
      #expect(operation.responseSerializer === manager.responseSerializer)
      #expect(operation.credential === manager.credential && !operation.shouldUseCredentialStorage)
      #expect(
        operation.completionGroup === manager.completionGroup && operation.completionQueue === manager.completionQueue)
      #expect(operation.securityPolicy === manager.securityPolicy)
      try await operation.run()
      #expect(operation.responseObject as? String == "a")
      #expect(manager.reachabilityManager === manager.reachabilityManager)
    }
  }

  @Test func `Without a base URL the whole URL is given`() async throws {
    try await withTestServer(handler: { _ in .json("[]") }) { server in
      let manager = AFHTTPRequestOperationManager()
      #expect(manager.baseURL == nil)
      let operation = try await manager.get(server.url("a").absoluteString)
      #expect(operation.response?.statusCode == 200)
      await #expect(throws: (any Error).self) { try await manager.get("a") }
      await #expect(throws: (any Error).self) { try await manager.get("") }
    }
  }

  @Test func `A batch of 2.x is made of operations of the manager`() async throws {
    try await withTestServer(handler: { _ in .json("[]") }) { server in
      let manager = makeOperationManager(server)
      let operations = (0..<5).map { _ in manager.httpRequestOperation(with: get(server), success: nil) }
      let ends = Recorder<Int>()
      let batch = AFURLConnectionOperation.batch(
        of: operations, progressBlock: nil, completionBlock: { ends.record($0.count) })
      manager.operationQueue.add(batch)
      try await ends.wait(for: 1)
      let outcomes = await manager.batch(of: [get(server), get(server)]).outcomes()
      #expect(outcomes.map { $0.value as? [Int] } == [[], []])
    }
  }

  @Test func `Copies and archives keep URL, serializers and policy`() throws {
    let manager = OwnOperationManager(baseURL: URL(string: "https://example.com/v2"))
    manager.requestSerializer = AFJSONRequestSerializer()
    manager.requestSerializer.setValue("1", forHTTPHeaderField: "X-A")
    manager.responseSerializer = AFXMLParserResponseSerializer()
    manager.securityPolicy = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [])
    let copy = try #require(manager.copy() as? OwnOperationManager)
    #expect(copy.made == "made by init" && copy.requestSerializer !== manager.requestSerializer)
    let data = try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
    let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OwnOperationManager.self, from: data))
    for other in [copy, read] {
      #expect(other.baseURL?.absoluteString == "https://example.com/v2/")
      #expect(
        other.requestSerializer is AFJSONRequestSerializer && other.responseSerializer is AFXMLParserResponseSerializer)
      #expect(other.requestSerializer.value(forHTTPHeaderField: "X-A") == "1")
      #expect(other.securityPolicy.sslPinningMode == .publicKey && other.operationQueue !== manager.operationQueue)
    }
  }
}

// Archives name no class that stands within another type.
final class OwnOperationManager: AFHTTPRequestOperationManager, @unchecked Sendable {
  // Unchecked because its superclass is; it stores a constant.
  let made = "made by init"
  override init(baseURL url: URL?) { super.init(baseURL: url) }
  required init?(coder: NSCoder) { super.init(coder: coder) }
}
