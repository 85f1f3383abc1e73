import AFMultipart
import AFSupport
import Dispatch
import Foundation
import Testing

/// Packets with pauses, and the rate limit, as a reader of the body sees them.
@Suite(.offThePool) struct ThrottleTests {
  @Test("B06, AF-X026: no read gives more than a packet, whatever the borders of the parts, and the pause is kept")
  func packets() throws {
    let form = AFMultipartForm()
    for (index, size) in [700, 2_048, 2_049, 15_683].enumerated() {
      form.appendPart(withFileData: patternedData(size), name: "p\(index)", fileName: "f", mimeType: "a/b")
    }
    let expected = try drain(form.makeBodyStream().makeBodyReader())
    form.throttleBandwidth(withPacketSize: 2_048, delay: 0.1)
    let length = try #require(form.contentLength)
    let packets = (length + 2_047) / 2_048
    var reads: [(moment: MonotonicTime, count: Int)] = []
    var body = Data()
    let start = MonotonicTime.now
    try drain(form.makeBodyStream().makeBodyReader(), readSize: 64 << 10) { bytes in
      reads.append((.now, bytes.count))
      body.append(contentsOf: bytes)
    }
    let elapsed = MonotonicTime.now - start
    #expect(body == expected)
    #expect(reads.allSatisfy { $0.count <= 2_048 })
    #expect(reads.count == Int(packets), "a packet is not cut where a part ends")
    #expect(elapsed >= 0.9 * Double(packets - 1) * 0.1)
    for (index, read) in reads.enumerated() {
      let window = reads[index...].prefix { $0.moment - read.moment < 0.1 }
      #expect(window.reduce(0) { $0 + $1.count } <= 2 * 2_048)
    }
  }

  @Test("Small reads do not make small packets: a pause comes after each full packet only")
  func packetsOfSmallReads() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data(count: 5_000), name: "n")
    form.throttleBandwidth(withPacketSize: 1_000, delay: 0.02)
    let reader = form.makeBodyStream().makeBodyReader()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { buffer.deallocate() }
    var sinceWait = 0
    var waits = 0
    let deadline = MonotonicTime.now + 10
    reading: while MonotonicTime.now < deadline {
      switch reader.read(into: buffer) {
      case .bytes(let count): sinceWait += count
      case .wait:
        if sinceWait > 0 {
          #expect(sinceWait == 1_000)
          waits += 1
        }
        sinceWait = 0
        usleep(1_000)
      case .end: break reading
      case .failed(let error): throw error
      }
    }
    #expect(waits == 5)
  }

  @Test("AF-X026: 16 KiB each 0.2 s is about 80 KB/s")
  func suggestedValues() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data(count: 64 << 10), name: "n")
    form.throttleBandwidth(withPacketSize: kAFUploadStream3GSuggestedPacketSize, delay: kAFUploadStream3GSuggestedDelay)
    let start = MonotonicTime.now
    _ = try drain(form.makeBodyStream())
    // Five packets, four pauses.
    #expect(MonotonicTime.now - start >= 0.8)
  }

  @Test("AF-X025: a copy and a rewind keep the throttle")
  func kept() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data(count: 1_000), name: "n")
    form.throttleBandwidth(withPacketSize: 64, delay: 0)
    let stream = form.makeBodyStream()
    let copy = try #require(stream.copy() as? AFMultipartBodyStream)
    copy.open()
    var bytes = [UInt8](repeating: 0, count: 1_000)
    #expect(copy.read(&bytes, maxLength: 1_000) == 64)
    let reader = stream.makeBodyReader()
    _ = try drain(reader)
    try reader.rewind()
    try drain(reader, readSize: 1_000) { #expect($0.count <= 64) }
  }

  @Test("The last call of throttleBandwidth counts; a packet size of 0 or less means no limit")
  func lastCall() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data(count: 1_000), name: "n")
    form.throttleBandwidth(withPacketSize: 10, delay: 60)
    form.throttleBandwidth(withPacketSize: -1, delay: -.infinity)
    var reads = 0
    try drain(form.makeBodyStream().makeBodyReader(), readSize: 64 << 10) { _ in reads += 1 }
    #expect(reads == 1)
  }

  @Test("A limit slows the body down to its rate, also through the stream's own read")
  func limit() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: patternedData(300_000), name: "n")
    let expected = try drain(form.makeBodyStream())
    form.bandwidthLimit = AFBandwidthLimit(bytesPerSecond: 400_000)
    let start = MonotonicTime.now
    #expect(try drain(form.makeBodyStream()) == expected)
    #expect(MonotonicTime.now - start > 0.7)
  }

  @Test("Two bodies that share a limit take twice as long")
  func sharedLimit() async throws {
    let limit = AFBandwidthLimit(bytesPerSecond: 400_000)
    let start = MonotonicTime.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let form = AFMultipartForm()
          form.appendPart(withForm: Data(count: 150_000), name: "n")
          form.bandwidthLimit = limit
          let body = try drain(form.makeBodyStream())
          #expect(Int64(body.count) == form.contentLength)
        }
      }
      try await group.waitForAll()
    }
    #expect(MonotonicTime.now - start > 0.7)
  }

  @Test("Both forms together: packets keep their size, the limit its rate")
  func together() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data(count: 50_000), name: "n")
    form.throttleBandwidth(withPacketSize: 1_024, delay: 0.001)
    form.bandwidthLimit = AFBandwidthLimit(bytesPerSecond: 200_000)
    let start = MonotonicTime.now
    try drain(form.makeBodyStream().makeBodyReader(), readSize: 4_096) { #expect($0.count <= 1_024) }
    #expect(MonotonicTime.now - start > 0.2)
  }

  @Test("A stream that waits for its throttle can be closed by another thread")
  func closeWhileWaiting() throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data(count: 1_000), name: "n")
    form.throttleBandwidth(withPacketSize: 10, delay: 5)
    let stream = form.makeBodyStream()
    stream.open()
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(stream.read(&bytes, maxLength: 100) == 10)
    let closer = Closer(stream: stream)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { closer.stream.close() }
    let begun = MonotonicTime.now
    #expect(stream.read(&bytes, maxLength: 100) == 0)
    #expect(MonotonicTime.now - begun < 4, "it was woken, and did not wait for the pause to end")
    #expect(stream.streamStatus == .closed)
  }
}

/// Takes the stream to the thread that closes it.
private final class Closer: @unchecked Sendable {
  // Unchecked because InputStream is not Sendable; `close` is made to be called from another thread.
  let stream: AFMultipartBodyStream

  init(stream: AFMultipartBodyStream) {
    self.stream = stream
  }
}
