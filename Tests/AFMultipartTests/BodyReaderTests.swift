import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFMultipart

/// What a body does with the readers of its parts: who is closed, woken and named, and when.
@Suite struct BodyReaderTests {
  /// A part that does as it is told, and notes what is done to it.
  private final class Part: BodyReader {
    let pulls: Locked<[BodyPull]>
    let closes = Recorder<Int>()
    let rooms = Recorder<Int>()
    let wakeUps = Locked<[@Sendable () -> Void]>([])
    let contentLength: Int64? = nil
    let isReplayable: Bool

    init(_ pulls: BodyPull..., isReplayable: Bool = true) {
      self.pulls = Locked(pulls)
      self.isReplayable = isReplayable
    }

    func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) { wakeUps.withLock { $0.append(wakeUp) } }
    /// Calls the newest wake-up.
    func wake() {
      let wakeUp = wakeUps.withLock { $0.last }
      wakeUp?()
    }
    func rewind() {}
    func close() { closes.record(1) }
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
      rooms.record(buffer.count)
      return pulls.withLock { $0.isEmpty ? .end : $0.removeFirst() }
    }
  }

  private struct Failure: Error {}

  /// Each part's head is 4 bytes, then 3 for the first and 5 for those behind it ("--b\r\n", "\r\n").
  private func reader(_ contents: AFMultipartContent..., throttle: Throttle = Throttle()) -> MultipartBodyReader {
    let parts = contents.map { AFMultipartPart(headers: [:], content: $0) }
    return MultipartBodyReader(MultipartBody(boundary: Boundary(text: "b"), parts: parts, throttle: throttle))
  }

  private func once(_ part: Part, length: Int64? = nil) -> AFMultipartContent {
    AFMultipartContent(storage: .oneShot(OneShotReader(part)), length: length)
  }

  private func read(_ reader: any BodyReader, _ count: Int = 4096) -> BodyPull {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return reader.read(into: buffer)
  }

  private func failure(_ pull: BodyPull) -> AFMultipartError? {
    if case .failed(let error) = pull { error as? AFMultipartError } else { nil }
  }

  @Test func `a part is closed when it ends, when it fails, and when the body is rewound or closed`() throws {
    let ended = Part(.bytes(3))
    let afterEnd = reader(once(ended), .data(Data(count: 10)))
    _ = read(afterEnd)
    #expect(ended.closes.count == 1)

    let failed = Part(.failed(Failure()))
    let afterFailure = reader(once(failed))
    _ = read(afterFailure)
    _ = read(afterFailure)
    #expect(failed.closes.count == 1)

    let open = Part(.wait(until: nil), .wait(until: nil))
    let rewound = reader(AFMultipartContent(storage: .reader { open }, length: nil))
    _ = read(rewound)
    _ = read(rewound)
    #expect(open.closes.count == 0)
    try rewound.rewind()
    #expect(open.closes.count == 1)

    let (first, second) = (Part(.wait(until: nil), isReplayable: false), Part(isReplayable: false))
    let closed = reader(once(first), once(second))
    _ = read(closed)
    closed.close()
    #expect(first.closes.count == 1 && second.closes.count == 1, "also one that was not read")
  }

  @Test func `a closed body is at its end, also if it had failed`() {
    let reader = reader(once(Part(.failed(Failure()))))
    _ = read(reader)
    #expect(failure(read(reader)) != nil)
    #expect(!reader.isAtEnd)
    reader.close()
    guard case .end = read(reader) else {
      Issue.record("it is closed")
      return
    }
    #expect(reader.isAtEnd)
  }

  @Test func `the failure of the second part names it, stands, and asks the part no more`() {
    let part = Part(.failed(Failure()), .bytes(10))
    let reader = reader(.data(Data(count: 3)), once(part))
    guard case .bytes = read(reader) else {
      Issue.record("what comes before the failure is given out")
      return
    }
    for _ in 0..<2 {
      let error = failure(read(reader))
      #expect(error?.partIndex == 1)
      #expect(error?.underlyingError is Failure)
    }
    #expect(part.rooms.count == 1)
  }

  @Test func `a part is asked for no more than is left of its length, and one that ends before fails the body`() {
    let part = Part(.bytes(60), .bytes(40))
    let whole = reader(once(part, length: 100))
    _ = read(whole)
    #expect(part.rooms.values == [100, 40])
    let short = reader(once(Part(.bytes(60)), length: 100))
    _ = read(short)
    #expect(failure(read(short))?.code == .endedEarly)
  }

  @Test func `a form within a form, declared shorter than it is, is cut there`() throws {
    let inner = AFMultipartForm()
    inner.append(AFMultipartPart(name: "x", content: .data(Data(count: 1000))))
    let outer = AFMultipartForm()
    outer.append(AFMultipartPart(name: "y", content: .stream(inner.makeBodyStream(), length: 100)))
    #expect(Int64(try drain(outer.makeBodyStream()).count) == outer.contentLength)
  }

  @Test func `the part that is read, and each after it, wakes by the newest wake-up, also after a rewind`() throws {
    let parts = Recorder<Part>()
    let content = AFMultipartContent(
      storage: .reader {
        let part = Part(.wait(until: nil))
        parts.record(part)
        return part
      }, length: nil)
    let reader = reader(content, content)
    let woken = Recorder<String>()
    reader.setWakeUp { woken.record("first") }
    _ = read(reader)
    reader.setWakeUp { woken.record("second") }
    try #require(parts.count == 1)
    parts.values[0].wake()
    #expect(woken.values == ["second"])
    // The first ends, the second waits.
    _ = read(reader)
    try #require(parts.count == 2)
    parts.values[1].wake()
    #expect(woken.values == ["second", "second"])
    try reader.rewind()
    _ = read(reader)
    try #require(parts.count == 3)
    parts.values[2].wake()
    #expect(woken.count == 3)
  }

  @Test func `a body of parts that come once may be rewound until it has begun, and names the one that cannot`() throws
  {
    let reader = reader(.data(Data(count: 3)), once(Part(.bytes(1))))
    #expect(!reader.isReplayable)
    try reader.rewind()
    _ = read(reader, 1)
    let error = #expect(throws: AFMultipartError.self) { try reader.rewind() }
    #expect(error?.code == .notReplayable && error?.partIndex == 1)
  }

  @Test func `a second reader of a part that comes once fails before its first byte`() {
    let content = once(Part(.bytes(1)))
    let (first, second) = (reader(.data(Data(count: 3)), content), reader(.data(Data(count: 3)), content))
    _ = read(first, 1)
    #expect(failure(read(second, 1))?.code == .notReplayable)
  }

  @Test func `a header that is no name fails the body before its first byte`() {
    let part = AFMultipartPart(headers: ["a b": "c"], content: .data(Data(count: 3)))
    let body = MultipartBody(
      boundary: Boundary(text: "b"), parts: [AFMultipartPart(headers: [:], content: .data(Data())), part],
      throttle: Throttle())
    let error = failure(read(MultipartBodyReader(body), 1))
    #expect(error?.code == .invalidHeaderName && error?.partIndex == 1)
  }

  @Test(
    arguments: [
      ([5, 7], 12), ([5, nil], nil), ([Int64.max], nil), ([Int64.max - 100, 200], nil), ([], 0),
    ] as [([Int64?], Int64?)])
  func `the length is that of all, or is not known`(lengths: [Int64?], sum: Int64?) {
    let contents = lengths.map { AFMultipartContent(storage: .reader { Part() }, length: $0) }
    let parts = contents.map { AFMultipartPart(headers: [:], content: $0) }
    let body = MultipartBody(boundary: Boundary(text: "b"), parts: parts, throttle: Throttle())
    // "--b\r\n\r\n" and "\r\n--b\r\n\r\n" before the parts, "\r\n--b--\r\n" behind them.
    let heads = lengths.indices.reduce(0) { $0 + ($1 == 0 ? 7 : 9) }
    #expect(body.contentLength == sum.map { $0 + Int64(heads + (lengths.isEmpty ? 7 : 9)) })
  }

  @Test func `replayable is a body whose every part is`() {
    #expect(reader().isReplayable)
    #expect(reader(.data(Data()), AFMultipartContent(storage: .reader { Part() }, length: nil)).isReplayable)
    #expect(!reader(.data(Data()), once(Part())).isReplayable)
  }

  @Test(arguments: [false, true])
  func `one that writes a body to a file closes it, whether it ends, fails or has nowhere to go`(fails: Bool)
    async throws
  {
    struct Nowhere: BodyOutput {
      func write(_ bytes: UnsafeRawBufferPointer) throws {}
      func finish() throws {}
      func abandon() {}
    }
    for hasPlace in [true, false] {
      let part = fails ? Part(.bytes(3), .failed(Failure())) : Part(.bytes(3))
      let ends = Recorder<Bool>()
      let writer = BodyWriter.start(part, progress: { _ in }, completion: { ends.record($0 == nil) }) {
        if hasPlace { return Nowhere() }
        throw Failure()
      }
      let ended = try await ends.wait(for: 1)
      #expect(ended == [hasPlace && !fails])
      #expect(part.closes.count == 1)
      withExtendedLifetime((writer, part)) {}
    }
  }

  // MARK: Limits

  @Test func `a rewind does not end the pause between two packets`() throws {
    var throttle = Throttle()
    throttle.packets = PacketPacer.Settings(packetSize: 10, delay: 60)
    let reader = reader(.data(Data(count: 100)), throttle: throttle)
    guard case .bytes(10) = read(reader) else {
      Issue.record("a packet is 10 bytes")
      return
    }
    try reader.rewind()
    guard case .wait = read(reader) else {
      Issue.record("the pause is not over")
      return
    }
  }

  @Test func `what a body was granted and did not need goes to others, and its place with it`() throws {
    // 4096 bytes in store, and 16 more each millisecond.
    for _ in 0..<50 {
      let limit = AFBandwidthLimit(bytesPerSecond: 16_384)
      let begun = MonotonicTime.now
      var throttle = Throttle()
      throttle.limit = limit
      // Made before the reader's own: one made afterwards could stand at its place in memory, and be taken for it.
      let other = limit.makeShare()
      let reader = reader(.data(Data(count: 2_000)), throttle: throttle)
      guard case .bytes(let count) = read(reader, 4096) else { break }
      #expect(count > 2_000 && reader.isAtEnd)
      let (all, rest) = (other.take(upTo: 4_090, now: .now), other.take(upTo: 4_096 - count, now: .now))
      // On a machine that is busy elsewhere the store may have filled up.
      guard MonotonicTime.now - begun < 0.1 else { continue }
      guard case .wait = all else {
        Issue.record("what was used is not given back")
        return
      }
      #expect(rest == .bytes(4_096 - count))
      return withExtendedLifetime(reader) {}
    }
    Issue.record("the machine was never quiet for 100 ms")
  }
}
