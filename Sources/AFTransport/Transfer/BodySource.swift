import AFSupport
import Foundation

/// The request body as the read callback sees it.
struct BodySource {
  private enum Kind {
    case none
    case data(Data, offset: Int)
    case reader(any BodyReader)
  }

  private var kind: Kind
  /// Bytes of the whole body; nil: unknown, so chunked.
  let length: Int64?
  /// Whether the request carries a body or, for a method that means to, says that it is empty.
  let isSent: Bool

  init(_ request: TransferRequest) {
    switch request.body {
    case .none:
      kind = .none
      length = 0
      isSent = ["POST", "PUT", "PATCH"].contains(request.method)
    case .data(let data):
      kind = .data(data, offset: 0)
      length = Int64(data.count)
      isSent = true
    case .reader(let reader):
      kind = .reader(reader)
      length = reader.contentLength
      isSent = true
    }
  }

  func connect(wakeUp: @escaping @Sendable () -> Void) {
    if case .reader(let reader) = kind { reader.setWakeUp(wakeUp) }
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    switch kind {
    case .none:
      return .end
    case .data(let data, let offset):
      let count = min(buffer.count, data.count - offset)
      guard count > 0 else { return .end }
      data.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
      }
      kind = .data(data, offset: offset + count)
      return .bytes(count)
    case .reader(let reader):
      return reader.read(into: buffer)
    }
  }

  /// Whether ``rewind()`` can do what it says.
  var isReplayable: Bool {
    if case .reader(let reader) = kind { return reader.isReplayable }
    return true
  }

  mutating func rewind() throws {
    switch kind {
    case .none: break
    case .data(let data, _): kind = .data(data, offset: 0)
    case .reader(let reader): try reader.rewind()
    }
  }

  func close() {
    if case .reader(let reader) = kind { reader.close() }
  }
}
