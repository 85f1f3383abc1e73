import AFSupport
package import Foundation
package import FoundationNetworking

// What AFOperations is built on: tasks of a manager whose results no response serializer of the manager has seen, since an operation
// has its own.

/// How a task ended: what came, and what went wrong.
package struct UnserializedResult: Sendable {
  private let result: TaskResult

  fileprivate init(_ result: TaskResult) { self.result = result }

  /// The body, or as much of it as came before the task failed or was cancelled.
  package var data: Data? { result.data }

  /// Why the transfer failed; no status code is an error here.
  package var error: (any Error)? { result.error }

  /// The response. Made when it is asked for.
  package var response: HTTPURLResponse? { result.task.httpResponse }

  /// What tells the version of the resource from another; nil if nothing of the response does so for certain.
  package var validator: PartValidator? { result.head.flatMap { PartValidator($0) } }
}

extension AFURLSessionManager {
  /// Makes a data task that tells its result as it is. It is one of the manager's tasks, and posts no notifications.
  /// - Parameters:
  ///   - request: The request, with its body.
  ///   - uploadProgress: Told on the manager's callback queue how much has been sent.
  ///   - downloadProgress: Told likewise how much has come.
  ///   - completion: Gets the result, once, on a concurrent queue.
  /// - Returns: The task, suspended.
  package func unserializedTask(
    with request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
    downloadProgress: (@Sendable (Progress) -> Void)?, completion: @escaping @Sendable (UnserializedResult) -> Void
  ) -> AFURLSessionDataTask {
    let closures = TaskClosures(uploadProgress: uploadProgress, downloadProgress: downloadProgress)
    let task = makeTask(
      .data, HopRequest(request), closures,
      .handler { result in
        // This may be the engine's thread.
        ManagerCore.processingQueue.async { completion(UnserializedResult(result)) }
      })
    task.core.state.withLock { state in
      state.options.announces = false
      state.options.collectsMetrics = false
    }
    return task as? AFURLSessionDataTask ?? AFURLSessionDataTask(core: task.core)
  }

  /// Starts a request whose body is read while it comes, as ``stream(for:)`` does, and shows its task before it starts.
  package func stream(
    for request: URLRequest, willStart: (AFURLSessionTask) -> Void
  ) async throws(AFError) -> AFByteStream {
    try await stream(.data, HopRequest(request)) { willStart($0.shell) }
  }
}

extension AFByteStream {
  /// What tells the version of the resource from another; nil if nothing of the response does so for certain.
  package var validator: PartValidator? { PartValidator(head) }
}

extension AFURLSessionTask {
  /// Sets the progress closures of a task that may be running.
  package func setProgress(
    upload: (@Sendable (Progress) -> Void)?, download: (@Sendable (Progress) -> Void)?
  ) {
    core.state.withLock { state in
      guard !state.isOver else { return }
      state.owner.closures.uploadProgress = upload
      state.owner.closures.downloadProgress = download
    }
  }
}

extension AFHTTPSessionManager {
  /// The absolute URL of a path, by the rules of the verbs; nil if it is none.
  package func absoluteURL(of path: String) -> String? { http.url(path) }
}
