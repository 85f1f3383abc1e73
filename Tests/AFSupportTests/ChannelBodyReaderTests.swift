import AFSupport
import AFTestSupport
import Foundation
import Testing

/// A body that another produces: an async sequence, or a stream.
@Suite struct ChannelBodyReaderTests {
  private struct Failure: Error {}

  @Test func `bytes one by one and in pieces larger than the channel arrive whole and in order`() async throws {
    let body = TestPattern.data(count: 700_001)
    let reader = ChannelBodyReader(length: Int64(body.count), isReplayable: true) { sink in
      for byte in body.prefix(1000) { try await sink.write(byte) }
      try await sink.write(body.dropFirst(1000))
    }
    #expect(reader.contentLength == 700_001)
    for _ in 0..<2 {
      #expect(try await drained(reader) == body)
      try reader.rewind()
    }
  }

  @Test func `what the producer throws is what the reader meets`() async throws {
    let reader = ChannelBodyReader(length: nil, isReplayable: false) { sink in
      try await sink.write(Data(count: 10))
      throw Failure()
    }
    await #expect(throws: Failure.self) { try await drained(reader) }
  }

  enum Leaving: CaseIterable { case close, rewind, drop }

  /// A producer that waits for something else, and one that waits for room.
  @Test(arguments: Leaving.allCases, [false, true])
  func `a producer whose reader leaves is cancelled`(leaving: Leaving, waitsForRoom: Bool) async throws {
    let begun = Recorder<Int>()
    let ends = Recorder<String>()
    var reader: ChannelBodyReader? = ChannelBodyReader(length: nil, isReplayable: true) { sink in
      do {
        try await sink.write(Data(count: 10))
        begun.record(1)
        while waitsForRoom { try await sink.write(Data(count: 100_000)) }
        try await Task.sleep(nanoseconds: 60_000_000_000)
      } catch {
        ends.record("\(type(of: error))")
      }
    }
    _ = read(reader, 1)
    try await begun.wait(for: 1)
    switch leaving {
    case .close: reader?.close()
    case .rewind: try reader?.rewind()
    case .drop: reader = nil
    }
    #expect(try await ends.wait(for: 1) == ["CancellationError"])
    reader?.close()
  }

  @Test func `a body that comes once may be rewound until it has begun`() async throws {
    let reader = ChannelBodyReader(length: nil, isReplayable: false) { try await $0.write(Data("x".utf8)) }
    try reader.rewind()
    #expect(try await drained(reader) == Data("x".utf8))
    let error = #expect(throws: StreamBodyError.self) { try reader.rewind() }
    guard case .notReplayable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `after close() nothing is produced`() {
    let starts = Recorder<Int>()
    let reader = ChannelBodyReader(length: nil, isReplayable: true) { (_: ByteChannel) in starts.record(1) }
    reader.close()
    guard case .end = read(reader, 1) else {
      Issue.record("a closed reader has ended")
      return
    }
    #expect(starts.count == 0)
  }

  @Test func `a wake-up that is set while the reader waits is the one that is called`() throws {
    let channels = Recorder<ByteChannel>()
    let woken = Recorder<String>()
    let reader = ChannelBodyReader(length: nil, isReplayable: true) { channels.record($0) }
    reader.setWakeUp { woken.record("first") }
    _ = read(reader, 1)
    reader.setWakeUp { woken.record("second") }
    try #require(channels.values.first).finish()
    #expect(woken.values == ["second"])
  }

  @Test func `a length below nothing is nothing`() {
    #expect(ChannelBodyReader(length: -1, isReplayable: true) { (_: ByteChannel) in }.contentLength == 0)
  }

  // MARK: Streams

  @Test func `a stream is read to its end and closed`() async throws {
    let stream = ScriptedStream(Data("abc".utf8))
    let closes = stream.closes
    #expect(try await drained(ChannelBodyReader(stream: stream, length: 3)) == Data("abc".utf8))
    try await eventually { closes.count == 1 }
  }

  @Test func `a closed stream, and a provider without one, are failures of their own`() async throws {
    let closed = ScriptedStream(Data())
    closed.close()
    let first = await #expect(throws: StreamBodyError.self) {
      try await drained(ChannelBodyReader(stream: closed, length: nil))
    }
    let second = await #expect(throws: StreamBodyError.self) {
      try await drained(ChannelBodyReader(length: nil) { nil })
    }
    #expect(first?.description == StreamBodyError.closed.description)
    #expect(second?.description == StreamBodyError.missing.description)
  }

  @Test func `the stream's own error is the cause`() async throws {
    let error = await #expect(throws: StreamBodyError.self) {
      try await drained(ChannelBodyReader(stream: ScriptedStream(Data("abc".utf8), failure: Failure()), length: nil))
    }
    guard case .failed(let cause?) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause is Failure)
  }

  // MARK: Reading

  private func read(_ reader: ChannelBodyReader?, _ count: Int) -> BodyPull? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return reader?.read(into: buffer)
  }

  private func drained(_ reader: ChannelBodyReader) async throws -> Data {
    let (wakeUps, wake) = AsyncStream.makeStream(of: Void.self)
    reader.setWakeUp { wake.yield() }
    let limit = TimeLimit(seconds: 10) { wake.finish() }
    defer { limit.cancel() }
    var iterator = wakeUps.makeAsyncIterator()
    var buffer = [UInt8](repeating: 0, count: 50_000)
    var body = Data()
    while true {
      switch buffer.withUnsafeMutableBytes({ reader.read(into: $0) }) {
      case .bytes(let count): body.append(contentsOf: buffer[..<count])
      case .wait: try #require(await iterator.next() != nil, "the producer gives nothing for 10 s")
      case .end: return body
      case .failed(let error): throw error
      }
    }
  }
}

/// Gives its bytes, then its failure or its end.
private final class ScriptedStream: InputStream {
  let closes = Recorder<Int>()
  private let failure: (any Error)?
  private let state: Locked<(rest: Data, status: Stream.Status)>

  init(_ data: Data, failure: (any Error)? = nil) {
    self.failure = failure
    state = Locked((data, .notOpen))
    super.init(data: Data())
  }

  override func open() { state.withLock { $0.status = .open } }
  override func close() {
    closes.record(1)
    state.withLock { $0.status = .closed }
  }
  override var streamStatus: Stream.Status { state.withLock { $0.status } }
  override var streamError: (any Error)? { streamStatus == .error ? failure : nil }
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    state.withLock { state in
      let piece = state.rest.prefix(len)
      piece.copyBytes(to: buffer, count: piece.count)
      state.rest = Data(state.rest.dropFirst(piece.count))
      guard piece.isEmpty, failure != nil else { return piece.count }
      state.status = .error
      return -1
    }
  }
}
