import AFSupport
import Foundation

/// The file of an upload, open, and known to be what it was when the transfer was added.
final class SourceFile: Sendable {
  let path: String
  let size: Int64
  private let descriptor: Int32
  private let fingerprint: FileFingerprint

  init(path: String, fingerprint: FileFingerprint) throws(AttemptFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw AttemptFailure(.sourceMissing, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    self.path = path
    self.descriptor = descriptor
    self.fingerprint = fingerprint
    size = fingerprint.size
    try check()
  }

  deinit { close(descriptor) }

  /// Throws unless the file is what it was: the open one, and the one that has its name.
  func check() throws(AttemptFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, fingerprint.matches(status), stat(path, &status) == 0,
      fingerprint.matches(status)
    else { throw AttemptFailure(.sourceChanged, "\(path) is not what it was when the transfer was added") }
  }

  /// A range of it as a request's body.
  func body(from offset: Int64, count: Int64) -> InputStream {
    FileRangeStream(descriptor: descriptor, path: path, offset: offset, length: count)
  }
}

/// A range of a file as a body stream that this package's engine pulls without blocking, and again after a redirect.
private final class FileRangeStream: InputStream, BodyReaderSource {
  private let descriptor: Int32
  private let path: String
  private let offset: Int64
  private let length: Int64

  init(descriptor: Int32, path: String, offset: Int64, length: Int64) {
    // Its own, since the file may be closed before the last reader is made.
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    (self.path, self.offset, self.length) = (path, offset, length)
    // An initializer that corelibs demands; its stream is never used.
    super.init(data: Data())
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  func makeBodyReader() -> any BodyReader {
    do {
      return try FileBodyReader(duplicating: descriptor, path: path, offset: offset, length: length)
    } catch {
      return FailedBodyReader(error)
    }
  }
}

/// A body that cannot be had.
private final class FailedBodyReader: BodyReader {
  private let error: any Error
  init(_ error: any Error) { self.error = error }
  var contentLength: Int64? { nil }
  var isReplayable: Bool { true }
  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}
  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull { .failed(error) }
  func rewind() throws {}
  func close() {}
}
