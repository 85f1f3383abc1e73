import AFCore
import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

extension AFURLConnectionOperation {
  /// Sends the request and writes the body of its response to the output stream, as fast as that takes it.
  func write(_ request: URLRequest, _ attempt: Int, _ session: OperationSession) {
    let box = StreamBox(stream: outputStream)
    Task.detached { [self] in
      var result = AttemptResult()
      do {
        let body = try await session.manager.stream(for: request) { adopt($0, attempt, session) }
        result.response = body.response
        result.validator = body.validator
        try await write(body, to: box)
      } catch {
        let failure = (error as? AFError)?.cause ?? error
        result.error = failure
        if result.response == nil { result.response = (error as? AFError)?.response }
        core.withLock { $0.task }?.cancel()
      }
      let isOver = core.withLock { !($0.machine.isPausedOrStopping) } || !result.wasStopped
      if isOver { box.stream?.close() }
      ended(attempt, result, session)
    }
  }

  private func write(_ body: AFByteStream, to box: StreamBox<OutputStream>) async throws {
    let kept = core.withLock { $0.kept }
    var skipped: Int64 = 0
    if kept.written > 0 {
      let answer = kept.continuation?.answer(
        status: body.statusCode, contentRange: body.value(forHTTPHeaderField: "Content-Range"))
      switch answer {
      case .rest?: break
      case .complete?: skipped = .max
      // The same version from its beginning: what has been written is left out.
      case .whole? where body.statusCode == 200 && body.validator?.ifRange == kept.continuation?.condition:
        skipped = kept.written
      case .other?: throw AFOperationError.wrongPart
      default: throw AFOperationError.cannotContinue
      }
    }
    let queue = DispatchQueue(label: "af.operation.output")
    // Waited for: an empty body would otherwise close the stream while it opens.
    await withCheckedContinuation { continuation in
      queue.async {
        box.open()
        continuation.resume()
      }
    }
    var received: Int64 = 0
    for try await chunk in body.chunks {
      var piece = chunk
      received += Int64(chunk.count)
      if skipped > 0 {
        let left = Int(min(skipped, Int64(chunk.count)))
        piece = chunk.dropFirst(left)
        skipped -= Int64(left)
      }
      let bytes = piece
      if !bytes.isEmpty {
        try await withCheckedThrowingContinuation { continuation in
          queue.async { continuation.resume(with: Result { try box.write(bytes) }) }
        }
        core.withLock { $0.kept.written += Int64(bytes.count) }
      }
      didReceive(received, of: body.expectedCount ?? -1)
    }
  }
}

extension StreamBox<OutputStream> {
  fileprivate func open() {
    if let stream, stream.streamStatus == .notOpen { stream.open() }
  }

  /// Writes all of it, waiting where the stream does. On a queue of its own.
  fileprivate func write(_ data: Data) throws {
    guard let stream else { return }
    try data.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in
      var offset = 0
      while offset < buffer.count, let start = buffer.baseAddress {
        let next = (start + offset).assumingMemoryBound(to: UInt8.self)
        let written = stream.write(next, maxLength: buffer.count - offset)
        guard written > 0 else { throw stream.streamError ?? AFOperationError.outputStreamClosed }
        offset += written
      }
    }
  }
}
