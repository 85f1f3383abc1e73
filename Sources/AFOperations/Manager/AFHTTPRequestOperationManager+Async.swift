import Foundation
public import FoundationNetworking

// Cancelling the Swift task cancels the operation, which then throws `URLError.cancelled`. Nothing here needs a queue.

extension AFHTTPRequestOperationManager {
  /// Runs a request as an operation in ``operationQueue``, and gives the operation when it has finished.
  /// - Throws: The operation's error.
  @discardableResult
  public func operation(for request: URLRequest) async throws -> AFHTTPRequestOperation {
    let operation = httpRequestOperation(with: request, success: nil)
    try await operation.run(in: operationQueue)
    return operation
  }

  private func run(
    _ method: String, _ path: String, _ parameters: [String: any Sendable]?
  ) async throws -> AFHTTPRequestOperation { try await operation(for: makeRequest(method, path, parameters)) }

  /// Sends a GET request; `parameters` become its query. Gives the finished operation, or throws its error.
  @discardableResult
  public func get(
    _ URLString: String, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("GET", URLString, parameters) }

  /// Sends a HEAD request; `parameters` become its query. Gives the finished operation, or throws its error.
  @discardableResult
  public func head(
    _ URLString: String, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("HEAD", URLString, parameters) }

  /// Sends a POST request; `parameters` become its body. Gives the finished operation, or throws its error.
  @discardableResult
  public func post(
    _ URLString: String, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("POST", URLString, parameters) }

  /// Sends a PUT request; `parameters` become its body. Gives the finished operation, or throws its error.
  @discardableResult
  public func put(
    _ URLString: String, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("PUT", URLString, parameters) }

  /// Sends a PATCH request; `parameters` become its body. Gives the finished operation, or throws its error.
  @discardableResult
  public func patch(
    _ URLString: String, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("PATCH", URLString, parameters) }

  /// Sends a DELETE request; `parameters` become its query. Gives the finished operation, or throws its error.
  @discardableResult
  public func delete(
    _ URLString: String, parameters: [String: any Sendable]? = nil
  ) async throws -> AFHTTPRequestOperation { try await run("DELETE", URLString, parameters) }

  /// Enqueues an operation for each request, and gives their results as they come.
  public func batch(of requests: [URLRequest]) -> AFOperationBatch {
    let operations = requests.map { httpRequestOperation(with: $0, success: nil) }
    let batch = AFOperationBatch(operations)
    operationQueue.addOperations(AFURLConnectionOperation.claimed(operations), waitUntilFinished: false)
    return batch
  }
}
