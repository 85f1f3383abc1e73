import AFSupport
import Foundation

/// An `OutputStream` of anybody's as the output of a body.
final class StreamOutput: BodyOutput, @unchecked Sendable {
  // Unchecked because OutputStream is not Sendable: it was handed over, and after that only the writer's queue touches it.
  private let stream: OutputStream
  private let wasOpen: Bool

  /// Opens the stream if it is not, and closes it in the end only if it was opened here.
  init(_ stream: OutputStream) throws {
    self.stream = stream
    wasOpen = stream.streamStatus != .notOpen
    if !wasOpen { stream.open() }
    switch stream.streamStatus {
    case .error, .closed: throw Self.failure(of: stream)
    default: break
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes.bindMemory(to: UInt8.self)
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = stream.write(start, maxLength: rest.count)
      // 0 means that the stream has reached its capacity.
      guard count > 0 else { throw Self.failure(of: stream) }
      rest = UnsafeBufferPointer(rebasing: rest[min(count, rest.count)...])
    }
  }

  func finish() throws {
    if !wasOpen { stream.close() }
  }

  func abandon() {
    if !wasOpen { stream.close() }
  }

  private static func failure(of stream: OutputStream) -> AFMultipartError {
    // `streamError` of a corelibs stream traps when there is none.
    let cause = stream.streamStatus == .error ? stream.streamError : nil
    let reason = cause.map { "the output failed: \($0)" } ?? "the output takes no more bytes"
    return AFMultipartError(.writeFailed, reason: reason, underlyingError: cause)
  }
}
