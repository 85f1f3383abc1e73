/// One frame of HTTP/2 (RFC 9113, section 4.1).
package struct HTTP2Frame {
  package enum Kind: UInt8, Sendable {
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

  package static let endStream: UInt8 = 0x1
  package static let acknowledge: UInt8 = 0x1
  package static let endHeaders: UInt8 = 0x4

  /// nil for a kind that this server does not know, and must ignore.
  package var kind: Kind?
  package var flags: UInt8 = 0
  package var stream: UInt32 = 0
  package var payload: [UInt8] = []

  package init(kind: Kind?, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
    self.kind = kind
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  package var bytes: [UInt8] {
    let length = UInt32(payload.count)
    return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind?.rawValue ?? 0xFF, flags]
      + stream.bigEndianBytes + payload
  }
}

extension HTTP2Frame {
  /// A whole head, or trailers: HEADERS, and CONTINUATION for what is more than 16 KiB of it.
  package static func head(_ block: [UInt8], stream: UInt32, endsStream: Bool = false) -> [UInt8] {
    let largest = 16 << 10
    let flags: UInt8 = (endsStream ? endStream : 0) | (block.count <= largest ? endHeaders : 0)
    var bytes = HTTP2Frame(kind: .headers, flags: flags, stream: stream, payload: Array(block.prefix(largest))).bytes
    var rest = block.dropFirst(largest)
    while !rest.isEmpty {
      bytes +=
        HTTP2Frame(
          kind: .continuation, flags: rest.count <= largest ? endHeaders : 0, stream: stream,
          payload: Array(rest.prefix(largest))
        ).bytes
      rest = rest.dropFirst(largest)
    }
    return bytes
  }

  /// DATA in frames of at most 16 KiB, the most that a peer takes unasked.
  package static func data(_ body: [UInt8], stream: UInt32, endsStream: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = body[...]
    repeat {
      let piece = Array(rest.prefix(16 << 10))
      rest = rest.dropFirst(piece.count)
      bytes +=
        HTTP2Frame(kind: .data, flags: endsStream && rest.isEmpty ? endStream : 0, stream: stream, payload: piece).bytes
    } while !rest.isEmpty
    return bytes
  }

  /// RST_STREAM.
  package static func reset(stream: UInt32, code: UInt32) -> [UInt8] {
    HTTP2Frame(kind: .resetStream, stream: stream, payload: code.bigEndianBytes).bytes
  }

  /// GOAWAY.
  package static func goAway(last: UInt32, code: UInt32) -> [UInt8] {
    HTTP2Frame(kind: .goAway, payload: last.bigEndianBytes + code.bigEndianBytes).bytes
  }

  /// SETTINGS with one setting; 4 is the window that new streams begin with.
  package static func settings(_ identifier: UInt16, _ value: UInt32) -> [UInt8] {
    let name = [UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
    return HTTP2Frame(kind: .settings, payload: name + value.bigEndianBytes).bytes
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
