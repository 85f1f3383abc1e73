import AFSupport
public import Dispatch
public import Foundation

extension AFMultipartBodyStream {
  /// Writes the whole body to a file, for instance to send it later or more than once.
  ///
  /// The file appears when it is complete; a file that was there is replaced then. After an error or a cancellation it is
  /// as before. A pipe or a device is written to directly. The throttle does not count. What has been read of the stream
  /// does not matter, but parts that can be had only once are used up.
  /// - Parameters:
  ///   - fileURL: A file URL in an existing directory.
  ///   - queue: Where the handler is called. Default: the main queue, as in AFNetworking.
  ///   - completionHandler: Gets nil, an ``AFMultipartError``, or `CancellationError`.
  /// - Returns: The progress in bytes; its `cancel()` ends the writing.
  @preconcurrency @discardableResult
  public func write(
    to fileURL: URL,
    queue: DispatchQueue = .main,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) -> Progress {
    write(on: queue, completionHandler) { try FileOutput(fileURL) }
  }

  /// Writes the whole body to a stream. The throttle does not count.
  /// - Parameters:
  ///   - outputStream: The stream; until the handler is called nobody else may use it. It is opened if it is not, and then
  ///     also closed.
  ///   - queue: Where the handler is called. Default: the main queue, as in AFNetworking.
  ///   - completionHandler: Gets nil, an ``AFMultipartError``, or `CancellationError`.
  /// - Returns: The progress in bytes; its `cancel()` ends the writing.
  @preconcurrency @discardableResult
  public func write(
    to outputStream: OutputStream,
    queue: DispatchQueue = .main,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) -> Progress {
    write(on: queue, completionHandler) { try StreamOutput(outputStream) }
  }

  /// Writes the whole body to a file. See ``write(to:queue:completionHandler:)-(URL,_,_)``; here the task is what can be
  /// cancelled.
  /// - Parameters:
  ///   - fileURL: A file URL in an existing directory.
  ///   - progress: Called on a private queue with the bytes written so far, after each 256 KiB or less.
  /// - Throws: ``AFMultipartError``, or `CancellationError`.
  public func write(to fileURL: URL, progress: @escaping @Sendable (Int64) -> Void = { _ in }) async throws {
    try await write(progress) { try FileOutput(fileURL) }
  }

  /// Writes the whole body to a stream. See ``write(to:queue:completionHandler:)-(OutputStream,_,_)``; here the task is
  /// what can be cancelled.
  /// - Parameters:
  ///   - outputStream: The stream; until this returns nobody else may use it.
  ///   - progress: Called on a private queue with the bytes written so far, after each 256 KiB or less.
  /// - Throws: ``AFMultipartError``, or `CancellationError`.
  public func write(
    to outputStream: OutputStream, progress: @escaping @Sendable (Int64) -> Void = { _ in }
  ) async throws {
    try await write(progress) { try StreamOutput(outputStream) }
  }

  private func write(
    on queue: DispatchQueue,
    _ completionHandler: @escaping @Sendable ((any Error)?) -> Void,
    _ makeOutput: () throws -> any BodyOutput
  ) -> Progress {
    let progress = Progress(totalUnitCount: contentLength ?? -1)
    progress.isCancellable = true
    let writer = BodyWriter.start(
      makeUnthrottledReader(),
      // Weakly: the progress holds the writer, to cancel it.
      progress: { [weak progress] in progress?.completedUnitCount = $0 },
      completion: { error in queue.async { completionHandler(error) } },
      makeOutput: makeOutput
    )
    progress.cancellationHandler = { writer?.cancel() }
    return progress
  }

  private func write(
    _ progress: @escaping @Sendable (Int64) -> Void, _ makeOutput: () throws -> any BodyOutput
  ) async throws {
    let cancellation = WriterCancellation()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let writer = BodyWriter.start(
          makeUnthrottledReader(),
          progress: progress,
          completion: { error in continuation.resume(with: error.map(Result.failure) ?? .success(())) },
          makeOutput: makeOutput
        )
        cancellation.set(writer)
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// Hands a cancellation to a writer that may be there before it or after it.
private final class WriterCancellation: Sendable {
  private let state = Locked((writer: BodyWriter?.none, isCancelled: false))

  func set(_ writer: BodyWriter?) {
    let isCancelled = state.withLock { state in
      state.writer = writer
      return state.isCancelled
    }
    if isCancelled { writer?.cancel() }
  }

  func cancel() {
    let writer = state.withLock { state in
      state.isCancelled = true
      return state.writer
    }
    writer?.cancel()
  }
}
