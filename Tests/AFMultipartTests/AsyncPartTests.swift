import AFMultipart
import AFSupport
import AFTestSupport
import Foundation
import Testing

/// Parts that are asynchronous sequences, open files, pipes, and forms of their own.
@Suite(.offThePool) struct AsyncPartTests {
  private func form(_ content: AFMultipartContent) -> AFMultipartForm {
    let form = AFMultipartForm(boundary: "b")
    form.append(AFMultipartPart(headers: [:], content: content))
    return form
  }

  private func content(of body: Data) -> Data {
    body.dropFirst("--b\r\n\r\n".utf8.count).dropLast("\r\n--b--\r\n".utf8.count)
  }

  private func stream(of chunks: [Data], error: (any Error)? = nil) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      for chunk in chunks { continuation.yield(chunk) }
      continuation.finish(throwing: error)
    }
  }

  @Test("Pieces of a sequence arrive whole, with and without a declared length", arguments: [nil, 500_000] as [Int64?])
  func chunks(length: Int64?) throws {
    let chunks = (0..<50).map { patternedData(10_000, seed: UInt64($0)) }
    let form = form(.chunks(from: stream(of: chunks), length: length))
    #expect((form.contentLength == nil) == (length == nil))
    #expect(!form.isReplayable)
    let body = try drain(form.makeBodyStream().makeBodyReader(), readSize: 777)
    #expect(content(of: body) == chunks.reduce(Data(), +))
    if length != nil { #expect(form.contentLength == Int64(body.count)) }
  }

  @Test("Bytes of a sequence arrive whole")
  func bytes() throws {
    let data = patternedData(30_000)
    let sequence = AsyncStream<UInt8> { continuation in
      for byte in data { continuation.yield(byte) }
      continuation.finish()
    }
    #expect(content(of: try drain(form(.bytes(from: sequence, length: 30_000)).makeBodyStream())) == data)
  }

  @Test("A sequence that has more than was declared is cut, one that has less fails")
  func declaredLength() throws {
    let data = patternedData(1_000)
    let cut = form(.chunks(from: stream(of: [data]), length: 10))
    #expect(content(of: try drain(cut.makeBodyStream())) == data.prefix(10))
    let error = #expect(throws: AFMultipartError.self) {
      try drain(form(.chunks(from: stream(of: [data]), length: 1_001)).makeBodyStream())
    }
    #expect(error?.code == .endedEarly)
  }

  @Test("The error of a sequence fails the body, with itself beneath")
  func failure() throws {
    let cause = NSError(domain: "test", code: 3)
    let error = #expect(throws: AFMultipartError.self) {
      try drain(form(.chunks(from: stream(of: [Data(count: 10)], error: cause), length: nil)).makeBodyStream())
    }
    #expect(error?.code == .readFailed)
    #expect(error?.underlyingError as NSError? == cause)
  }

  @Test("A provider of sequences makes the part replayable")
  func replay() throws {
    let data = patternedData(600_000)
    let counter = CallCounter()
    let form = form(
      .chunks(length: 600_000) {
        counter.increment()
        return AsyncStream<Data> { continuation in
          continuation.yield(data)
          continuation.finish()
        }
      })
    #expect(form.isReplayable)
    let reader = form.makeBodyStream().makeBodyReader()
    #expect(content(of: try drain(reader)) == data)
    try reader.rewind()
    #expect(content(of: try drain(reader)) == data)
    #expect(counter.count == 2)
  }

  @Test("A sequence is asked for no more than the reader can hold, and is cancelled when the body is closed")
  func backpressure() async throws {
    let produced = CallCounter()
    let ended = CallCounter()
    let form = form(
      .chunks(length: nil) {
        let lifetime = Lifetime { ended.increment() }
        return AsyncStream<Data> {
          withExtendedLifetime(lifetime) { produced.increment() }
          return Data(count: 64 << 10)
        }
      })
    let reader = form.makeBodyStream().makeBodyReader()
    var first = [UInt8](repeating: 0, count: 100)
    // The head of the part, and the first bytes of the content.
    for _ in 0..<2 { try await eventually { first.withUnsafeMutableBytes { reader.read(into: $0) }.isBytes } }
    try await eventually { produced.count >= 5 }
    #expect(ended.count == 0)
    reader.close()
    try await eventually { ended.count == 1 }
    #expect(produced.count == 5, "four pieces in the buffer, one that does not fit")
  }

  @Test("An open file: from its position to its end, without moving it, as often as wanted, also when it is unlinked")
  func fileHandle() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("f.bin")
      let data = patternedData(100_000)
      try data.write(to: file)
      let handle = try FileHandle(forReadingFrom: file)
      try handle.seek(toOffset: 1_000)
      let form = form(try .file(handle))
      try FileManager.default.removeItem(at: file)
      #expect(form.isReplayable)
      #expect(content(of: try drain(form.makeBodyStream())) == data[1_000...])
      #expect(content(of: try drain(form.makeBodyStream())) == data[1_000...])
      #expect(try handle.offset() == 1_000)
      let range = self.form(try .file(handle, offset: 10, length: 20))
      #expect(content(of: try drain(range.makeBodyStream())) == data[10..<30])
    }
  }

  @Test("A pipe is a part of unknown length that can be had once; it is no file")
  func pipe() throws {
    let pipe = Pipe()
    let data = patternedData(40_000)
    let form = form(.pipe(pipe.fileHandleForReading, length: nil))
    try pipe.fileHandleForWriting.write(contentsOf: data)
    try pipe.fileHandleForWriting.close()
    #expect(!form.isReplayable)
    #expect(form.contentLength == nil)
    #expect(content(of: try drain(form.makeBodyStream())) == data)
    let error = #expect(throws: AFMultipartError.self) { try AFMultipartContent.file(pipe.fileHandleForReading) }
    #expect(error?.code == .notRegularFile)
  }

  @Test("A descriptor that cannot be read fails the body")
  func unreadablePipe() throws {
    let pipe = Pipe()
    let error = #expect(throws: AFMultipartError.self) {
      try drain(form(.pipe(pipe.fileHandleForWriting, length: nil)).makeBodyStream())
    }
    #expect(error?.code == .readFailed)
    #expect((error?.underlyingError as NSError?)?.code == Int(EBADF))
  }

  @Test("A form as a part of another: exact bytes, true length, replayable as its parts are")
  func nested() throws {
    let inner = AFMultipartForm(boundary: "inner")
    inner.appendPart(withHeaders: ["Content-Type": "text/plain"], body: Data("x".utf8))
    inner.throttleBandwidth(withPacketSize: 1, delay: 100)
    let outer = AFMultipartForm(boundary: "outer")
    outer.append(AFMultipartPart(name: "files", multipart: inner))
    let expected =
      "--outer\r\nContent-Disposition: form-data; name=\"files\"\r\nContent-Type: multipart/mixed; boundary=inner\r\n\r\n"
      + "--inner\r\nContent-Type: text/plain\r\n\r\nx\r\n--inner--\r\n" + "\r\n--outer--\r\n"
    #expect(try drain(outer.makeBodyStream()) == Data(expected.utf8))
    #expect(outer.contentLength == Int64(expected.utf8.count))
    #expect(outer.isReplayable)
    inner.append(AFMultipartPart(name: "s", content: .stream(InputStream(data: Data(count: 3)), length: 5)))
    let failing = AFMultipartForm(boundary: "outer")
    failing.append(AFMultipartPart(name: "files", multipart: inner))
    #expect(!failing.isReplayable)
    let error = #expect(throws: AFMultipartError.self) { try drain(failing.makeBodyStream()) }
    #expect(error?.code == .endedEarly)
    #expect(error?.partName == "files")
    #expect(error?.description.contains("\"s\"") == true)
  }

  @Test("A body stream of ours as a part keeps its replayability and needs no queue")
  func bodyStreamAsPart() throws {
    let inner = AFMultipartForm(boundary: "inner")
    inner.appendPart(withForm: Data("x".utf8), name: "n")
    let stream = inner.makeBodyStream()
    let form = form(.stream(stream, length: stream.contentLength))
    #expect(form.isReplayable)
    #expect(content(of: try drain(form.makeBodyStream())) == (try drain(inner.makeBodyStream())))
    #expect(content(of: try drain(form.makeBodyStream())) == (try drain(inner.makeBodyStream())))
  }
}

/// Says when it is no longer needed.
private final class Lifetime: Sendable {
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  deinit {
    onEnd()
  }
}

extension BodyPull {
  fileprivate var isBytes: Bool { if case .bytes = self { true } else { false } }
}
