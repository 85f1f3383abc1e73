import AFMultipart
import AFSupport
import AFTestSupport
import Dispatch
import Foundation
import Testing

/// Parts that are streams: their declared length, their failures, and whether they can be had again.
@Suite(.offThePool) struct StreamPartTests {
  private func form(_ stream: InputStream?, length: Int64) -> AFMultipartForm {
    let form = AFMultipartForm(boundary: "b")
    form.appendPart(with: stream, name: "s", fileName: "s.bin", length: length, mimeType: "a/b")
    return form
  }

  private func content(of body: Data) throws -> Data {
    let start = try #require(body.range(of: Data("\r\n\r\n".utf8))).upperBound
    return body[start..<(body.count - "\r\n--b--\r\n".utf8.count)]
  }

  @Test("B04, AF-X024: a stream longer than declared is cut at the declared length")
  func longer() throws {
    let data = patternedData(10_000)
    let form = form(InputStream(data: data), length: 1_000)
    let body = try drain(form.makeBodyStream())
    #expect(try content(of: body) == data.prefix(1_000))
    #expect(form.contentLength == Int64(body.count))
  }

  @Test("B04, AF-X024: a stream shorter than declared fails, and names the part")
  func shorter() throws {
    let error = #expect(throws: AFMultipartError.self) {
      try drain(form(InputStream(data: Data(count: 500)), length: 1_000).makeBodyStream().makeBodyReader())
    }
    #expect(error?.code == .endedEarly)
    #expect(error?.partName == "s")
    #expect(error?.partIndex == 0)
  }

  @Test("A failure is what the stream then reports, again and again, without a trap")
  func failureOfTheWhole() throws {
    let stream = form(InputStream(data: Data(count: 5)), length: 10).makeBodyStream()
    #expect(stream.streamError == nil)
    #expect(throws: AFMultipartError.self) { try drain(stream) }
    #expect(stream.streamStatus == .error)
    #expect((stream.streamError as? AFMultipartError)?.code == .endedEarly)
    var byte: UInt8 = 0
    #expect(stream.read(&byte, maxLength: 1) == -1)
    #expect(!stream.hasBytesAvailable)
  }

  @Test("A stream that fails midway fails the body with its own error beneath")
  func failsMidway() throws {
    let cause = NSError(domain: "test", code: 7)
    let stream = ScriptedStream([.bytes(Data(count: 300)), .fail(cause)])
    let error = #expect(throws: AFMultipartError.self) { try drain(form(stream, length: 1_000).makeBodyStream()) }
    #expect(error?.code == .readFailed)
    #expect(error?.underlyingError as NSError? == cause)
    #expect(error?.partName == "s")
  }

  @Test("A file stream that cannot be opened fails the body")
  func unopenable() throws {
    let stream = try #require(InputStream(fileAtPath: "/nonexistent/file"))
    let error = #expect(throws: AFMultipartError.self) { try drain(form(stream, length: 10).makeBodyStream()) }
    #expect(error?.code == .readFailed || error?.code == .endedEarly)
  }

  @Test("A stream that was closed before fails the body")
  func closed() throws {
    let stream = InputStream(data: Data(count: 10))
    stream.open()
    stream.close()
    #expect(throws: AFMultipartError.self) { try drain(form(stream, length: 10).makeBodyStream()) }
  }

  @Test("No stream: with length 0 an empty part, else a failure before the first byte")
  func missing() throws {
    #expect(try content(of: drain(form(nil, length: 0).makeBodyStream())).isEmpty)
    let reader = form(nil, length: 5).makeBodyStream().makeBodyReader()
    guard case .failed(let error) = pull(reader) else {
      Issue.record("bytes before the failure")
      return
    }
    #expect((error as? AFMultipartError)?.code == .missingStream)
  }

  @Test("A stream of unknown length: no Content-Length, the body whole")
  func unknownLength() throws {
    let data = patternedData(700_000)
    let form = form(InputStream(data: data), length: -1)
    #expect(form.contentLength == nil)
    #expect(try content(of: drain(form.makeBodyStream().makeBodyReader())) == data)
  }

  @Test("A stream that blocks blocks nobody: the pull says wait, and wakes up")
  func blockingStream() throws {
    let gate = DispatchSemaphore(value: 0)
    let stream = ScriptedStream([.bytes(Data("ab".utf8)), .block(gate), .bytes(Data("cd".utf8))])
    let reader = form(stream, length: 4).makeBodyStream().makeBodyReader()
    let wakeUps = DispatchSemaphore(value: 0)
    reader.setWakeUp { wakeUps.signal() }
    var body = Data()
    var isGateOpen = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
    defer { buffer.deallocate() }
    reading: while true {
      switch reader.read(into: buffer) {
      case .bytes(let count): body.append(contentsOf: buffer[0..<count])
      case .wait:
        if !isGateOpen, body.suffix(2) == Data("ab".utf8) {
          isGateOpen = true
          gate.signal()
        }
        try #require(wakeUps.wait(timeout: .now() + 10) == .success)
      case .end: break reading
      case .failed(let error): throw error
      }
    }
    #expect(isGateOpen)
    #expect(try content(of: body) == Data("abcd".utf8))
  }

  @Test("A foreign stream is read ahead by no more than 256 KiB, 64 KiB at a time")
  func boundedReadAhead() async throws {
    let stream = ScriptedStream([.bytes(Data(count: 2 << 20))])
    let reader = ChannelBodyReader(stream: stream, length: nil)
    // Begun, and then left alone until the queue has done all that it may.
    var bytes = [UInt8](repeating: 0, count: 10)
    try await eventually {
      if case .bytes = bytes.withUnsafeMutableBytes({ reader.read(into: $0) }) { true } else { false }
    }
    try await eventually { stream.given >= 256 << 10 }
    #expect(stream.given <= (256 << 10) + 10)
    #expect(try drain(reader) == Data(count: (2 << 20) - 10))
    #expect(stream.largestRead <= 64 << 10)
  }

  @Test("AF-X025: a one-shot part says beforehand that it cannot be repeated, and the second reader fails at once")
  func oneShot() throws {
    let stream = form(InputStream(data: Data(count: 10)), length: 10).makeBodyStream()
    #expect(!stream.isReplayable)
    let reader = stream.makeBodyReader()
    _ = try drain(reader)
    let error = #expect(throws: AFMultipartError.self) { try reader.rewind() }
    #expect(error?.code == .notReplayable)
    guard case .failed(let second) = pull(stream.makeBodyReader()) else {
      Issue.record("bytes before the failure")
      return
    }
    #expect((second as? AFMultipartError)?.code == .notReplayable)
    #expect((second as? AFMultipartError)?.partName == "s")
  }

  private func pull(_ reader: any BodyReader) -> BodyPull {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
    defer { buffer.deallocate() }
    return reader.read(into: buffer)
  }
}
