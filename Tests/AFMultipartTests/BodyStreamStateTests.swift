import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFMultipart

/// The states of a body's stream, as `InputStream` has them.
@Suite(.offThePool) struct BodyStreamStateTests {
  private struct Failure: Error {}

  private func stream(_ content: AFMultipartContent) -> AFMultipartBodyStream {
    let form = AFMultipartForm()
    form.append(AFMultipartPart(headers: [:], content: content))
    return form.makeBodyStream()
  }

  private func read(_ stream: AFMultipartBodyStream) -> Int {
    var bytes = [UInt8](repeating: 0, count: 4096)
    return stream.read(&bytes, maxLength: bytes.count)
  }

  @Test func `unopened it gives nothing, open its bytes, at its end it says so, and closed it stays`() {
    let stream = stream(.data(Data(count: 10)))
    #expect(stream.streamStatus == .notOpen && read(stream) == 0 && !stream.hasBytesAvailable)
    stream.open()
    #expect(stream.streamStatus == .open && stream.hasBytesAvailable)
    #expect(read(stream) > 10)
    #expect(!stream.hasBytesAvailable)
    #expect(read(stream) == 0)
    #expect(stream.streamStatus == .atEnd && read(stream) == 0)
    stream.close()
    stream.open()
    #expect(stream.streamStatus == .closed && read(stream) == 0)
  }

  @Test func `a failure is the stream's, until it is closed`() {
    let stream = stream(.chunks(from: AsyncThrowingStream<Data, any Error> { throw Failure() }, length: nil))
    stream.open()
    while read(stream) > 0 {}
    #expect(stream.streamStatus == .error && read(stream) == -1)
    #expect((stream.streamError as? AFMultipartError)?.underlyingError is Failure)
    #expect(!stream.hasBytesAvailable)
    stream.close()
    #expect(stream.streamStatus == .closed && read(stream) == 0)
  }

  @Test func `closed while another thread reads, it is closed and not failed, and its producer is cancelled`()
    async throws
  {
    let cancelled = Recorder<Int>()
    let begun = Recorder<Int>()
    let content = AFMultipartContent.chunks(length: nil) {
      AsyncThrowingStream<Data, any Error> {
        begun.record(1)
        do { try await Task.sleep(nanoseconds: 60_000_000_000) } catch { cancelled.record(1) }
        throw Failure()
      }
    }
    let stream = stream(content)
    stream.open()
    let shared = Shared(stream)
    let reader = Task(executorPreference: QueueExecutor.shared) {
      var count = 0
      repeat { count = read(shared.stream) } while count > 0
      return count
    }
    try await begun.wait(for: 1)
    stream.close()
    #expect(await reader.value == 0)
    try await cancelled.wait(for: 1)
    #expect(stream.streamStatus == .closed && stream.streamError == nil)
  }
}

/// Takes the stream to the thread that reads it.
private final class Shared: @unchecked Sendable {
  // Unchecked because InputStream is not Sendable; `close` is made to be called from another thread.
  let stream: AFMultipartBodyStream
  init(_ stream: AFMultipartBodyStream) { self.stream = stream }
}

/// What becomes of the errors that lie beneath.
@Suite struct ErrorWrappingTests {
  private struct Foreign: Error {}

  @Test(
    arguments: [
      (EISDIR, "open", .isDirectory), (EACCES, "open", .unreadableFile), (EPERM, "open", .unreadableFile),
      (EACCES, "read", .unreadableFile), (ENOENT, "open", .unreachableFile), (EIO, "read", .readFailed),
      (EIO, "stat", .unreachableFile),
    ] as [(Int32, String, AFMultipartError.Code)])
  func `system calls`(number: Int32, call: String, code: AFMultipartError.Code) {
    let error = AFMultipartError(wrapping: POSIXFailure(call: call, path: "/a", code: number))
    #expect(error.code == code && error.fileURL?.path == "/a" && error.underlyingError is POSIXFailure)
  }

  @Test func `files and streams`() {
    func code(_ error: any Error, index: Int? = nil) -> AFMultipartError.Code {
      AFMultipartError(wrapping: error, partIndex: index).code
    }
    let range = FileBodyError.outOfRange(path: "/a", offset: 1, length: 2, size: 1)
    // What was refused when the part was made is a wrong range; later, the file has changed.
    #expect(code(range) == .outOfRange && code(range, index: 0) == .endedEarly)
    #expect(code(FileBodyError.notRegular(path: "/a")) == .notRegularFile)
    #expect(code(FileBodyError.shrank(path: "/a", expected: 2, actual: 1)) == .endedEarly)
    #expect(code(FileBodyError.unknownLength(path: "/a", limit: 1)) == .readFailed)
    #expect(code(StreamBodyError.missing) == .missingStream)
    #expect(code(StreamBodyError.negativeLength(-1)) == .outOfRange)
    #expect(code(StreamBodyError.closed) == .readFailed)
    #expect(code(StreamBodyError.endedEarly(expected: 2, actual: 1)) == .endedEarly)
    #expect(code(StreamBodyError.notReplayable) == .notReplayable)
    #expect(AFMultipartError(wrapping: StreamBodyError.failed(Foreign())).underlyingError is Foreign)
    #expect(AFMultipartError(wrapping: Foreign()).underlyingError is Foreign)
  }

  @Test func `one of our own keeps what it knows, and gets what it does not`() {
    let url = URL(fileURLWithPath: "/a")
    let inner = AFMultipartError(
      .readFailed, reason: "why", partName: "inner", partIndex: 3, fileURL: url, underlyingError: Foreign())
    let plain = AFMultipartError(wrapping: inner)
    #expect(plain.partName == "inner" && plain.partIndex == 3 && plain.fileURL == url && plain.failureReason == "why")
    let outer = AFMultipartError(
      wrapping: inner, partName: "outer", partIndex: 1, fileURL: URL(fileURLWithPath: "/b"))
    #expect(outer.partName == "outer" && outer.partIndex == 1 && outer.fileURL == url)
    #expect(outer.underlyingError is Foreign)
    // The inner part is named in the reason.
    #expect(outer.failureReason?.contains("Part 3 (\"inner\")") == true)
    let named = AFMultipartError(wrapping: AFMultipartError(.readFailed, reason: "why"), partName: "n", fileURL: url)
    #expect(named.partName == "n" && named.fileURL == url)
  }

  @Test func `the user information names the file and the cause`() {
    let error = AFMultipartError(
      .isDirectory, reason: "why", fileURL: URL(fileURLWithPath: "/a"), underlyingError: Foreign())
    let info = (error as NSError).userInfo
    #expect(info[NSFilePathErrorKey] as? String == "/a" && info[NSUnderlyingErrorKey] != nil)
    #expect((error as NSError).code == -1101)
  }
}
