internal import AFSupport
internal import Foundation
internal import FoundationNetworking
internal import Glibc

/// Copies the body stream of a request into a file. It blocks, so it runs on a queue of its own.
struct BodyFileWriter: @unchecked Sendable {
  // Unchecked because of the stream, which is read by the one call of `write()` and by nobody else.
  private let stream: InputStream
  private let path: String
  private let isCancelled = Flag()

  private final class Flag: Sendable {
    let value = Locked(false)
  }

  init(_ request: URLRequest, fileURL: URL) throws {
    guard fileURL.isFileURL else {
      throw AFURLRequestSerializationError(.notFileURL(fileURL.absoluteString), request: request)
    }
    guard let stream = request.httpBodyStream else {
      throw AFURLRequestSerializationError(.missingBodyStream, request: request)
    }
    self.stream = stream
    path = fileURL.path
  }

  func cancel() {
    isCancelled.value.withLock { $0 = true }
  }

  func write() throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    stream.open()
    let result = Result { try copy(to: descriptor) }
    stream.close()
    // Some file systems tell only now that there was no room.
    let closing = close(descriptor) == 0 ? nil : POSIXFailure(call: "close", path: path)
    guard let failure = result.failure ?? closing else { return }
    removeFile()
    throw failure
  }

  private func copy(to descriptor: Int32) throws {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256 << 10) { buffer in
      guard let bytes = buffer.baseAddress else { return }
      while true {
        if isCancelled.value.withLock({ $0 }) { throw CancellationError() }
        let count = stream.read(bytes, maxLength: buffer.count)
        // Streams may say that they failed with a count of 0. `streamError` of Foundation's traps when there is none.
        if stream.streamStatus == .error, let error = stream.streamError { throw error }
        guard count > 0 else {
          guard count == 0 else { throw AFURLRequestSerializationError(.unreadableBodyStream) }
          return
        }
        try write(UnsafeRawBufferPointer(start: bytes, count: count), to: descriptor)
      }
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw POSIXFailure(call: "write", path: path) }
      rest = rest.dropFirst(count)
    }
  }

  /// Half a body is worse than none. A device or pipe stays.
  private func removeFile() {
    var info = stat()
    let isFile = lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    if isFile { unlink(path) }
  }
}

extension URLRequest {
  var withoutBodyStream: URLRequest {
    var copy = self
    copy.httpBodyStream = nil
    return copy
  }
}

extension Result {
  /// What went wrong, if anything did.
  var failure: Failure? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}
