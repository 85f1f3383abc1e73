import AFCore
import Foundation
import FoundationNetworking

/// One try at a plain upload.
struct UploadAttempt: Sendable {
  let context: AttemptContext
  let source: SourceFile

  func run() async -> AttemptEnd {
    do {
      return .completed(try await send())
    } catch {
      return .failed(error)
    }
  }

  private func send() async throws(AttemptFailure) -> AFTransferResult {
    let (record, progress) = (context.record, context.progress)
    var request = context.request(record.request.url, method: record.request.method)
    request.httpBodyStream = source.body(from: 0, count: source.size)
    if !record.request.isRepeatable {
      // Before the first byte: after a crash from here on the request may have been processed.
      do { try await context.learn { $0.wasSent = true } } catch {
        throw AttemptFailure(.interrupted, "the store cannot be written to: \(error)")
      }
    }
    let size = source.size
    let response: AFDataResponse
    do throws(AFError) {
      response = try await context.manager.upload(withStreamedRequest: request) { sent in
        progress.update { values in
          values.sent = max(values.sent, sent.completedUnitCount)
          values.isFinishing = values.sent >= size
        }
      }
    } catch {
      // Progress is told by a closure that may come late: what it does not say yet may have been sent.
      throw AttemptFailure(error, hasSent: true, isInterrupted: Task.isCancelled)
    }
    guard (200..<300).contains(response.statusCode) else { throw AttemptFailure(response) }
    // A mixture of two states of the file may be on the server.
    try source.check()
    progress.update { $0.completed = size }
    return AFTransferResult(response)
  }
}
