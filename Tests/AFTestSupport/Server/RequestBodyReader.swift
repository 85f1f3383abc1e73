import AFSupport

/// Takes one request's body off the wire, whatever its framing.
final class RequestBodyReader {
  let keptSize: Int
  private(set) var kept: [UInt8] = []
  private(set) var count: Int64 = 0
  private(set) var digest: String?
  private(set) var trailers: [UInt8] = []
  private(set) var isComplete = false
  /// Whether the client waits for `100 Continue` before it sends.
  var needsContinue: Bool
  /// Effects by the number of bytes after which they happen, the earliest first.
  var faults: [(after: Int64, effect: TestEffect)] = []

  /// Called with each piece of the body, once it is set.
  var consume: ((UnsafeRawBufferPointer) throws -> Void)?
  /// Called before an effect: what the peer notices must already be on the record.
  var willPerform: () -> Void = {}

  private let connection: TestConnection
  private let hasher: TestDigest?
  private var state: State

  private enum State {
    case counted(left: Int64)
    case chunkSize
    case chunk(left: Int64)
    case end
  }

  init(head: RequestHead, connection: TestConnection, keptSize: Int, hashes: Bool, sendsContinue: Bool) {
    self.connection = connection
    self.keptSize = keptSize
    needsContinue = head.expectsContinue && sendsContinue
    hasher = hashes ? TestDigest() : nil
    if head.isChunked {
      state = .chunkSize
    } else if let length = head.contentLength, length > 0 {
      state = .counted(left: length)
    } else {
      state = .end
    }
    switch state {
    case .end: finish()
    case .counted(let left): if left > 1 << 20 { connection.grow(to: 1 << 20) }
    case .chunkSize, .chunk: connection.grow(to: 256 << 10)
    }
  }

  func readAll() throws {
    while try readSome() {}
  }

  /// Reads some bytes more. Returns false once the body is complete.
  func readSome() throws -> Bool {
    try performDueFaults()
    if isComplete { return false }
    if needsContinue {
      needsContinue = false
      try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
    }
    switch state {
    case .counted(let left):
      let taken = try take(left)
      state = taken == left ? .end : .counted(left: left - taken)
    case .chunkSize:
      let size = try readChunkSize()
      if size == 0 { try readTrailers() }
      state = size == 0 ? .end : .chunk(left: size)
    case .chunk(let left):
      let taken = try take(left)
      state = taken == left ? .chunkSize : .chunk(left: left - taken)
      if taken == left {
        guard try connection.read(exactly: 2) == [0x0D, 0x0A] else {
          throw ConnectionEnd.misuse("a chunk of the request does not end in CR LF")
        }
      }
    case .end: break
    }
    if case .end = state { finish() }
    return true
  }

  private func performDueFaults() throws {
    while let fault = faults.first, fault.after <= count {
      faults.removeFirst()
      willPerform()
      try connection.perform(fault.effect)
    }
  }

  private func take(_ left: Int64) throws -> Int64 {
    if connection.buffered.isEmpty, try !connection.fill() { throw ConnectionEnd.peerClosed }
    var limit = min(left, Int64(connection.buffered.count))
    if let fault = faults.first { limit = min(limit, fault.after - count) }
    let bytes = UnsafeRawBufferPointer(rebasing: connection.buffered[..<Int(limit)])
    hasher?.update(bytes)
    try consume?(bytes)
    let room = keptSize - kept.count
    if room > 0 { kept.append(contentsOf: bytes.prefix(room)) }
    count += limit
    connection.consume(Int(limit))
    return limit
  }

  private func readChunkSize() throws -> Int64 {
    guard let line = try connection.read(through: "\r\n", limit: 4096) else { throw ConnectionEnd.peerClosed }
    let text = String(decoding: line.dropLast(2).prefix { $0 != 0x3B }, as: UTF8.self).trimmed
    guard let size = Int64(text, radix: 16), size >= 0 else {
      throw ConnectionEnd.misuse("chunk size \(text.debugDescription)")
    }
    return size
  }

  private func readTrailers() throws {
    while true {
      guard let line = try connection.read(through: "\r\n", limit: 1 << 16) else { throw ConnectionEnd.peerClosed }
      if line.count == 2 { return }
      trailers += line
    }
  }

  private func finish() {
    isComplete = true
    digest = hasher?.finish()
  }
}
