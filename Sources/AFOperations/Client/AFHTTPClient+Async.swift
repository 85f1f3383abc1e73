import Foundation
public import FoundationNetworking

// Cancelling the Swift task cancels the operation, which then throws `URLError.cancelled`. Nothing here needs a queue.

extension AFHTTPClient {
  /// Runs a request as an operation in ``operationQueue``, and gives the operation when it has finished.
  /// - Throws: The operation's error.
  @discardableResult
  public func operation(for urlRequest: URLRequest) async throws -> AFHTTPRequestOperation {
    let operation = httpRequestOperation(with: urlRequest, success: nil)
    try await operation.run(in: operationQueue)
    return operation
  }

  private func run(
    _ method: String, _ path: String?, _ parameters: [String: any Sendable]?
  ) async throws -> AFHTTPRequestOperation {
    try await operation(for: request(withMethod: method, path: path, parameters: parameters) as URLRequest)
  }

  /// Sends a GET request; `parameters` become its query. Gives the finished operation, or throws its error.
  @discardableResult
  public func getPath(
    _ path: String?, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("GET", path, parameters) }

  /// Sends a POST request; `parameters` become its body. Gives the finished operation, or throws its error.
  @discardableResult
  public func postPath(
    _ path: String?, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("POST", path, parameters) }

  /// Sends a PUT request; `parameters` become its body. Gives the finished operation, or throws its error.
  @discardableResult
  public func putPath(
    _ path: String?, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("PUT", path, parameters) }

  /// Sends a DELETE request; `parameters` become its query. Gives the finished operation, or throws its error.
  @discardableResult
  public func deletePath(
    _ path: String?, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("DELETE", path, parameters) }

  /// Sends a PATCH request; `parameters` become its body. Gives the finished operation, or throws its error.
  @discardableResult
  public func patchPath(
    _ path: String?, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("PATCH", path, parameters) }

  /// Enqueues an operation for each request, and gives their results as they come.
  public func batch(of urlRequests: [URLRequest]) -> AFOperationBatch {
    let operations = urlRequests.map { httpRequestOperation(with: $0, success: nil) }
    let batch = AFOperationBatch(operations)
    operationQueue.addOperations(AFURLConnectionOperation.claimed(operations), waitUntilFinished: false)
    return batch
  }
}
