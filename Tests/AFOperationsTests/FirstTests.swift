import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

@Suite struct OperationTests {
  @Test func `An operation gives response, body, text and object, and calls success once on the main queue`()
    async throws
  {
    try await withTestServer(handler: { _ in .json(#"{"a": 1}"#) }) { server in
      let operation = AFJSONRequestOperation(request: get(server))
      let calls = Recorder<Bool>()
      operation.setCompletionBlockWithSuccess(
        { operation, object in
          dispatchPrecondition(condition: .onQueue(.main))
          calls.record((object as? [String: Any])?["a"] as? Int == 1 && operation.isFinished)
        }, failure: { _, _ in calls.record(false) })
      operation.start()
      try await calls.wait(for: 1)
      #expect(calls.values == [true])
      #expect(operation.response?.statusCode == 200)
      #expect(operation.responseString == #"{"a": 1}"#)
      #expect(operation.error == nil)
      #expect(!operation.isExecuting)
    }
  }

  @Test func `A status that is not acceptable fails the operation`() async throws {
    try await withTestServer(handler: { _ in .text("no", status: 404) }) { server in
      let operation = AFHTTPRequestOperation(request: get(server))
      await #expect(throws: (any Error).self) { try await operation.run() }
      #expect((operation.error as NSError?)?.code == URLError.badServerResponse.rawValue)
      #expect(operation.responseData == Data("no".utf8))
    }
  }
}
