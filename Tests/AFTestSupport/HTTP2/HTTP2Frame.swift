/// One frame of HTTP/2 (RFC 9113, section 4.1).
struct HTTP2Frame {
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case priority = 2
    case resetStream = 3
    case settings = 4
    case pushPromise = 5
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
  }

  static let endStream: UInt8 = 0x1
  static let acknowledge: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4

  /// nil for a kind that this server does not know, and must ignore.
  var kind: Kind?
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    let length = UInt32(payload.count)
    return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind?.rawValue ?? 0xFF, flags]
      + stream.bigEndianBytes + payload
  }
}

extension UInt32 {
  var bigEndianBytes: [UInt8] {
    [UInt8(self >> 24), UInt8(self >> 16 & 0xFF), UInt8(self >> 8 & 0xFF), UInt8(self & 0xFF)]
  }
}

extension TestConnection {
  /// The next frame, or nil when the peer has closed between frames.
  func readFrame() throws -> HTTP2Frame? {
    let first = try read(upTo: 1)
    if first.isEmpty { return nil }
    let head = try first + read(exactly: 8)
    let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    return HTTP2Frame(
      kind: HTTP2Frame.Kind(rawValue: head[3]), flags: head[4], stream: stream, payload: try read(exactly: length))
  }

  func send(_ frame: HTTP2Frame) throws { try send(frame.bytes) }
}
