import AFTestSupport
import Foundation

/// A response as bytes, in either protocol, and where its parts end: what a fault cuts.
struct FaultScript: Sendable {
  static let bodyCount = 50_000
  /// Fields after the body.
  static let trailers = [(name: "x-sum", value: "7"), (name: "x-note", value: String(repeating: "n", count: 300))]

  let bytes: [UInt8]
  private let headEnd: Int
  private let bodyEnd: Int

  /// A chunked response.
  init() {
    let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 0x61, count: 4096) + Array("\r\n".utf8)
    let chunks = Array(repeating: chunk, count: Self.bodyCount / 4096).flatMap { $0 }
    let rest = Self.bodyCount % 4096
    let last = Array("\(String(rest, radix: 16))\r\n".utf8) + [UInt8](repeating: 0x61, count: rest) + Array("\r\n".utf8)
    let lines = Self.trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
    headEnd = head.count
    bodyEnd = head.count + chunks.count + last.count
    bytes = head + chunks + last + Array("0\r\n\(lines)\r\n".utf8)
  }

  /// A response of frames.
  ///
  /// `tellsLength`: libcurl 7.88 may take a body of unknown length for whole when the peer breaks the protocol in its midst. (Not
  /// when it goes away.)
  init(stream: UInt32, tellsLength: Bool) {
    var fields = [(name: "content-type", value: "text/plain")]
    if tellsLength { fields.append((name: "content-length", value: "\(Self.bodyCount)")) }
    let head = HTTP2Frame.head([0x88] + HPACK.block(fields), stream: stream)
    let body = HTTP2Frame.data([UInt8](repeating: 0x61, count: Self.bodyCount), stream: stream, endsStream: false)
    headEnd = head.count
    bodyEnd = head.count + body.count
    bytes = head + body + HTTP2Frame.head(HPACK.block(Self.trailers), stream: stream, endsStream: true)
  }

  /// The response with a fault in the midst of a part. `stream`: the HTTP/2 stream that a refusal names.
  func steps(_ moment: FaultMoment, _ fault: Fault, stream: UInt32 = 0) -> [TestStep] {
    if fault == .refuse {
      let before = moment == .trailers ? bodyEnd : moment == .responseBody ? headEnd : 0
      return [.send(Array(bytes.prefix(before)) + HTTP2Frame.reset(stream: stream, code: 7))]
    }
    let place =
      switch moment {
      // In HTTP/2 garbage is a frame of its own; other bytes would only spoil what the body says.
      case .responseBody: headEnd + (fault == .garbage && stream > 0 ? 9 + (16 << 10) : 20_000)
      case .trailers: bodyEnd + 12
      case .responseHead: 12
      default: 0
      }
    return Self.steps(bytes, fault, at: place)
  }

  private static func steps(_ bytes: [UInt8], _ fault: Fault, at place: Int) -> [TestStep] {
    switch fault {
    case .garbage: [.send(Array(bytes.prefix(place)) + garbage), .effect(.close)]
    case .drip: TestStep.steps(bytes, .drip(bytes: bytes.count - place > 4096 ? 2048 : 16, every: 0.001), at: place)
    default: TestStep.steps(bytes, fault.effect, at: place)
    }
  }

  /// No header line, chunk size, frame, or TLS record.
  static let garbage: [UInt8] = [1, 2] + Array(repeating: [0xFF, 0x7A, 0x00, 0x0D, 0x0A], count: 200).flatMap { $0 }
}

extension Fault {
  /// What it does to a connection.
  var effect: TestEffect {
    switch self {
    case .reset: .reset
    case .stall: .stall
    case .drip: .drip(bytes: 2048, every: 0.001)
    case .close, .refuse, .garbage: .close
    }
  }
}
