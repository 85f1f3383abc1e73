import AFOperations
import AFSupport
import AFTestSupport
import Dispatch
import Foundation
import FoundationNetworking

func quietConfiguration() -> URLSessionConfiguration {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.httpCookieStorage = nil
  configuration.urlCache = nil
  configuration.urlCredentialStorage = nil
  return configuration
}

func makeClient(_ server: TestServer, _ path: String = "") -> AFHTTPClient {
  AFHTTPClient(baseURL: server.url(path), sessionConfiguration: quietConfiguration())
}

func makeOperationManager(_ server: TestServer) -> AFHTTPRequestOperationManager {
  let manager = AFHTTPRequestOperationManager(baseURL: server.url(), sessionConfiguration: quietConfiguration())
  manager.completionQueue = DispatchQueue(label: "test.completions")
  return manager
}

func withRoutes(
  _ routes: [String: TestServer.Handler], _ body: (TestServer) async throws -> Void
) async throws {
  try await withTestServer(
    handler: { try routes[$0.path]?($0) ?? .text("no route for \($0.path)", status: 404) }, body)
}

func get(_ server: TestServer, _ path: String = "a") -> URLRequest { URLRequest(url: server.url(path)) }

extension Error {
  var urlCode: URLError.Code? { (self as? URLError)?.code }
}

extension OperationQueue {
  /// `addOperations(_:waitUntilFinished:)` is not for asynchronous contexts.
  func add(_ operations: [Operation]) { addOperations(operations, waitUntilFinished: false) }
}
