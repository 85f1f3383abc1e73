import AFSupport
public import Foundation
import Glibc

extension AFMultipartContent {
  /// A regular file that is open already, from its present position to its present end. The position does not move.
  ///
  /// The handle is kept open until the content is no longer needed, so the file may be unlinked.
  /// - Parameter handle: A handle of a regular file. For a pipe or socket see ``pipe(_:length:)``.
  /// - Returns: The content.
  /// - Throws: ``AFMultipartError`` if it is not a regular file.
  public static func file(_ handle: FileHandle) throws(AFMultipartError) -> Self {
    let position = lseek(handle.fileDescriptor, 0, SEEK_CUR)
    return try file(handle, offset: Int64(max(0, position)), length: nil)
  }

  /// A range of a regular file that is open already. The position of the handle does not count and does not move.
  /// - Parameters:
  ///   - handle: A handle of a regular file. For a pipe or socket see ``pipe(_:length:)``.
  ///   - offset: The first byte.
  ///   - length: The number of bytes, or nil for all up to the end that the file has now.
  /// - Returns: The content.
  /// - Throws: ``AFMultipartError`` if it is not a regular file, or too short.
  public static func file(_ handle: FileHandle, offset: Int64, length: Int64?) throws(AFMultipartError) -> Self {
    @Sendable func open(_ length: Int64?) throws -> FileBodyReader {
      let descriptor = handle.fileDescriptor
      return try FileBodyReader(
        duplicating: descriptor, path: "file descriptor \(descriptor)", offset: offset, length: length)
    }
    do {
      let reader = try open(length)
      if let bytes = reader.gathered { return .data(bytes) }
      let size = reader.contentLength
      return Self(storage: .reader { try open(size) }, length: size)
    } catch {
      throw AFMultipartError(wrapping: error)
    }
  }

  /// What a pipe, a socket or a terminal gives up to its end. It can be had once only.
  /// - Parameters:
  ///   - handle: A handle to read from; nobody else may read from it any more. It is not closed.
  ///   - length: The number of bytes: as many are read, and an end before fails the body. nil if unknown; a
  ///     negative number fails the body before its first byte.
  /// - Returns: The content.
  public static func pipe(_ handle: FileHandle, length: Int64?) -> Self {
    stream(DescriptorStream(handle), length: length)
  }
}

/// The least of an `InputStream` over a file descriptor: what the queue that reads it calls.
private final class DescriptorStream: InputStream {
  private let handle: FileHandle
  private let state = Locked((status: Stream.Status.notOpen, error: POSIXFailure?.none))

  init(_ handle: FileHandle) {
    self.handle = handle
    super.init(data: Data())
  }

  override func open() { state.withLock { $0.status = .open } }
  override func close() { state.withLock { $0.status = .closed } }
  override var streamStatus: Stream.Status { state.withLock { $0.status } }
  override var streamError: (any Error)? { state.withLock { $0.error } }
  override var hasBytesAvailable: Bool { streamStatus == .open }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    while true {
      let count = Glibc.read(handle.fileDescriptor, buffer, len)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // The other side has made it non-blocking: wait as if it were not.
        var descriptor = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, -1)
      default:
        let failure = POSIXFailure(call: "read", path: "file descriptor \(handle.fileDescriptor)")
        state.withLock { $0 = (.error, failure) }
        return -1
      }
    }
  }
}
