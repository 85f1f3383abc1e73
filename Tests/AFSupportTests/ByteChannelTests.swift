import AFSupport
import AFTestSupport
import Foundation
import Testing

/// The pipe between a producer that blocks and a reader that does not.
@Suite struct ByteChannelTests {
  private let calls = Counter()

  private func offer(_ count: Int, to channel: ByteChannel) {
    [UInt8](repeating: 7, count: count).withUnsafeBytes { channel.offer($0) }
  }

  private func take(_ count: Int, from channel: ByteChannel) -> BodyPull {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return channel.take(into: buffer)
  }

  @Test("The reader is woken once per wait, and not when it does not wait")
  func wakeUps() {
    let channel = ByteChannel(length: nil)
    channel.setWakeUp { calls.increment() }
    offer(1, to: channel)
    #expect(calls.count == 0)
    #expect(take(1, from: channel).isBytes(1))
    #expect(take(1, from: channel).isWait)
    offer(1, to: channel)
    offer(1, to: channel)
    #expect(calls.count == 1)
    #expect(take(5, from: channel).isBytes(2))
    #expect(take(1, from: channel).isWait)
    channel.finish()
    #expect(calls.count == 2)
    #expect(take(1, from: channel).isEnd)
    #expect(take(1, from: channel).isEnd)
  }

  @Test("Single bytes wake the reader together, soon after the first or when there are many")
  func sparing() async throws {
    let channel = ByteChannel(length: nil)
    channel.setWakeUp { calls.increment() }
    #expect(take(1, from: channel).isWait)
    let bytes = [UInt8](repeating: 1, count: 20 << 10)
    // Each before the first is two milliseconds old, or on a slow day in a few groups.
    for index in 0..<1_000 {
      #expect(bytes.withUnsafeBytes { channel.offerSparingly(UnsafeRawBufferPointer(rebasing: $0[index...index])) })
    }
    try await eventually { calls.count == 1 }
    #expect(take(5_000, from: channel).isBytes(1_000))
    #expect(take(1, from: channel).isWait)
    #expect(bytes.withUnsafeBytes { channel.offerSparingly($0) })
    #expect(calls.count == 2, "many bytes wake at once")
    channel.cancel()
    #expect(!bytes.withUnsafeBytes { channel.offerSparingly($0) })
  }

  @Test func `Bytes that are offered sparingly go in whole or not at all`() {
    let channel = ByteChannel(length: nil, capacity: 8)
    func offer(_ count: Int) -> Bool {
      [UInt8](repeating: 7, count: count).withUnsafeBytes { channel.offerSparingly($0) }
    }
    #expect(!offer(9))
    #expect(offer(7))
    #expect(!offer(2))
    #expect(offer(1), "the last byte fits")
    #expect(take(100, from: channel).isBytes(8))
  }

  @Test func `The reader is woken at once where the ring is half full, and by the last byte of a known length`() {
    for (length, before, count) in [(nil, 0, 4), (8, 7, 1)] as [(Int64?, Int, Int)] {
      let calls = Counter()
      let channel = ByteChannel(length: length, capacity: 8)
      channel.setWakeUp { calls.increment() }
      offer(before, to: channel)
      if before > 0 { #expect(take(8, from: channel).isBytes(before)) }
      #expect(take(1, from: channel).isWait)
      #expect([UInt8](repeating: 7, count: count).withUnsafeBytes { channel.offerSparingly($0) })
      #expect(calls.count == 1)
    }
  }

  @Test func `A reader that waits again is woken again by a single byte`() async throws {
    let channel = ByteChannel(length: nil)
    channel.setWakeUp { calls.increment() }
    for round in 1...3 {
      #expect(take(1, from: channel).isWait)
      #expect([7].withUnsafeBytes { channel.offerSparingly(UnsafeRawBufferPointer(rebasing: $0[..<1])) })
      try await eventually { calls.count == round }
      #expect(take(1, from: channel).isBytes(1))
    }
  }

  @Test func `The first end stands, and none to be cancelled is noted behind it`() {
    let channel = ByteChannel(length: nil)
    channel.finish(StreamBodyError.missing)
    channel.finish()
    guard case .failed(StreamBodyError.missing) = take(1, from: channel) else {
      Issue.record("the failure came first")
      return
    }
    channel.whenCancelled { calls.increment() }
    channel.cancel()
    #expect(calls.count == 0)
  }

  @Test("A full channel has no room until half of it is free, and says so once")
  func room() {
    let channel = ByteChannel(length: nil, capacity: 8)
    #expect(channel.room(upTo: 100) == 8)
    offer(8, to: channel)
    #expect(channel.room(upTo: 1) { calls.increment() } == 0)
    #expect(take(3, from: channel).isBytes(3))
    #expect(calls.count == 0)
    #expect(take(1, from: channel).isBytes(1))
    #expect(calls.count == 1)
    #expect(take(1, from: channel).isBytes(1))
    #expect(calls.count == 1)
    #expect(channel.room(upTo: 3) == 3)
  }

  @Test("A declared length: no room beyond it, the end with its last byte, a failure before")
  func length() {
    let channel = ByteChannel(length: 10)
    #expect(channel.room(upTo: 100) == 10)
    offer(4, to: channel)
    #expect(channel.room(upTo: 100) == 6)
    #expect(take(4, from: channel).isBytes(4))
    #expect(channel.room(upTo: 100) == 6, "what was taken makes no room beyond the length")
    offer(6, to: channel)
    #expect(channel.room(upTo: 1) == nil)
    #expect(take(100, from: channel).isBytes(6))
    #expect(take(100, from: channel).isEnd)

    let short = ByteChannel(length: 10)
    offer(4, to: short)
    short.finish()
    #expect(take(100, from: short).isBytes(4))
    guard case .failed(StreamBodyError.endedEarly(expected: 10, actual: 4)) = take(100, from: short) else {
      Issue.record("an early end is a failure")
      return
    }
    #expect(take(1, from: ByteChannel(length: 0)).isEnd)
  }

  @Test("A cancellation stops the producer, wherever it is")
  func cancellation() {
    let channel = ByteChannel(length: nil, capacity: 1)
    channel.whenCancelled { calls.increment() }
    offer(1, to: channel)
    #expect(channel.room(upTo: 1) { calls.increment() } == 0)
    channel.cancel()
    #expect(calls.count == 2)
    #expect(channel.room(upTo: 1) == nil)
    channel.whenCancelled { calls.increment() }
    #expect(calls.count == 3)
    channel.cancel()
    #expect(calls.count == 3)
  }

  @Test("A producer that has finished is not cancelled")
  func finished() {
    let channel = ByteChannel(length: nil)
    channel.whenCancelled { calls.increment() }
    channel.finish()
    channel.cancel()
    #expect(calls.count == 0)
  }
}

private final class Counter: Sendable {
  private let value = Locked(0)
  var count: Int { value.withLock { $0 } }
  func increment() { value.withLock { $0 += 1 } }
}

extension BodyPull {
  fileprivate func isBytes(_ count: Int) -> Bool { if case .bytes(count) = self { true } else { false } }
  fileprivate var isWait: Bool { if case .wait = self { true } else { false } }
  fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}
