import AFSupport
import Glibc

extension TestResponse {
  /// Sends the response. `isHead`: the request was a HEAD, so the body stays at home.
  func write(to connection: TestConnection, isHead: Bool, closes: Bool) throws {
    let writer = ResponseWriter(connection, faults: faults)
    if case .raw(let bytes) = body {
      try bytes.withUnsafeBytes { try writer.writeBody($0) }
      return try writer.finish()
    }
    let length = try bodyLength()
    try writer.writeHead(head(length: length, closes: closes))
    let hasBody = !isHead && status >= 200 && status != 204 && status != 304
    if hasBody { try writeBody(to: writer, connection: connection) }
    try writer.finish()
  }

  private var isChunked: Bool {
    switch framing {
    case .chunked: true
    case .contentLength: if case .stream = body { true } else { false }
    case .untilClose, .declared: false
    }
  }

  /// Whether only the end of the connection ends the body.
  var needsClose: Bool { if case .untilClose = framing { true } else { false } }

  private func bodyLength() throws -> Int64? {
    switch body {
    case .none: return 0
    case .bytes(let bytes), .raw(let bytes): return Int64(bytes.count)
    case .pattern(_, let count): return count
    case .stream: return nil
    case .file(let path, let offset, let count):
      if let count { return count }
      var info = stat()
      guard stat(path, &info) == 0 else { throw POSIXFailure(call: "stat", path: path) }
      return Int64(info.st_size) - offset
    }
  }

  private func head(length: Int64?, closes: Bool) -> [UInt8] {
    var head: [UInt8] = []
    head.reserveCapacity(256)
    head += version.utf8
    head += " \(status) \(reason ?? reasonPhrase(status))\r\n".utf8
    for header in headers { head += "\(header.name): \(header.value)\r\n".utf8 }
    if isChunked {
      head += "Transfer-Encoding: chunked\r\n".utf8
    } else if case .declared(let declared) = framing {
      head += "Content-Length: \(declared)\r\n".utf8
    } else if case .contentLength = framing, let length, status != 204, status != 304, status >= 200 {
      head += "Content-Length: \(length)\r\n".utf8
    }
    if closes { head += "Connection: close\r\n".utf8 }
    head += "\r\n".utf8
    return head
  }

  private func writeBody(to writer: ResponseWriter, connection: TestConnection) throws {
    var chunkSize = Int.max
    var trailers: [(name: String, value: String)] = []
    if case .chunked(let size, let fields) = framing { (chunkSize, trailers) = (size, fields) }
    let write = { (piece: UnsafeRawBufferPointer) throws in
      guard isChunked else { return try writer.writeBody(piece) }
      var rest = piece
      while !rest.isEmpty {
        let chunk = UnsafeRawBufferPointer(rebasing: rest.prefix(chunkSize))
        try writer.writeBody(chunk, prefix: String(chunk.count, radix: 16) + "\r\n", suffix: "\r\n")
        rest = UnsafeRawBufferPointer(rebasing: rest[chunk.count...])
      }
    }
    switch body {
    case .none, .raw: break
    case .bytes(let bytes): try bytes.withUnsafeBytes(write)
    case .pattern(let offset, let count): try TestPattern.forEachPiece(from: offset, count: count, write)
    case .file(let path, let offset, let count):
      try forEachPiece(ofFile: path, from: offset, count: count ?? .max, write)
    case .stream(let produce): try produce(BodyWriter(writer, connection: connection, isChunked: isChunked))
    }
    if isChunked {
      let end = "0\r\n" + trailers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
      try writer.writeBody(UnsafeRawBufferPointer(start: nil, count: 0), suffix: end)
    }
  }
}

private func forEachPiece(
  ofFile path: String, from offset: Int64, count: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void
) throws {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
  defer { close(descriptor) }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
  defer { buffer.deallocate() }
  var (position, left) = (offset, count)
  while left > 0 {
    let got = pread(descriptor, buffer.baseAddress, Int(min(left, Int64(buffer.count))), Int(position))
    guard got >= 0 else { throw POSIXFailure(call: "read", path: path) }
    if got == 0 { return }
    try body(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
    position += Int64(got)
    left -= Int64(got)
  }
}
