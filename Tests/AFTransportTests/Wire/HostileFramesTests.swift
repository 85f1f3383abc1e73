import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// Numbers that are the same in each run.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// Whatever frames an HTTP/2 server sends, no request hangs, nothing ends the process, and the engine goes on.
@Suite struct HostileFramesTests {
  private static let fields: [(name: String, value: String)] = [
    (":status", "200"), (":status", "404"), (":status", "103"), (":status", "99"), (":status", "abc"), (":status", ""),
    (":path", "/"), ("content-length", "5"), ("content-length", "-1"), ("content-length", "99999999999999999999"),
    ("transfer-encoding", "chunked"), ("connection", "close"), ("te", "trailers"), ("Upper", "x"), ("", "x"),
    (" ", "x"),
    ("x", "a\u{0}b"), ("x", "a\r\nb: c"), ("x y", "z"), ("set-cookie", "a=b"), ("location", "/x"),
    ("content-encoding", "gzip"), ("x", String(repeating: "v", count: 5000)), ("\u{e9}", "\u{e9}"), (" folded", "x"),
  ]

  private static func frames(_ seed: Int, _ stream: UInt32) -> [UInt8] {
    var dice = Dice(state: UInt64(seed))
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...8, using: &dice) {
      let other = [stream, stream, stream, stream, 0, stream + 2, 2, 0x7FFF_FFFF].randomElement(using: &dice) ?? stream
      let isLast = Int.random(in: 0..<3, using: &dice) == 0
      switch Int.random(in: 0..<10, using: &dice) {
      case 0...3:
        let count = Int.random(in: 0...5, using: &dice)
        var block = HPACK.block((0..<count).compactMap { _ in fields.randomElement(using: &dice) })
        if Bool.random(using: &dice) { block = [0x88] + block }
        if Int.random(in: 0..<8, using: &dice) == 0 {
          block = (0..<20).map { _ in UInt8.random(in: 0...255, using: &dice) }
        }
        bytes += HTTP2Frame.head(block, stream: other, endsStream: isLast)
      case 4, 5:
        bytes += HTTP2Frame.data(Array("hello".utf8), stream: other, endsStream: isLast)
      case 6: bytes += HTTP2Frame.reset(stream: other, code: UInt32.random(in: 0...14, using: &dice))
      case 7: bytes += HTTP2Frame.goAway(last: other, code: UInt32.random(in: 0...14, using: &dice))
      default:
        let kind = HTTP2Frame.Kind(rawValue: UInt8.random(in: 0...11, using: &dice))
        let size = [0, 1, 4, 5, 6, 8, 40].randomElement(using: &dice) ?? 0
        bytes +=
          HTTP2Frame(
            kind: kind, flags: UInt8.random(in: 0...255, using: &dice), stream: other,
            payload: (0..<size).map { _ in UInt8.random(in: 0...255, using: &dice) }
          ).bytes
      }
    }
    return bytes
  }

  private static var rounds: Int {
    ProcessInfo.processInfo.environment["AF_HOSTILE_HEADS"].flatMap { Int($0) } ?? 240
  }

  @Test func `frames made at random`() async throws {
    let isSane = Locked(false)
    let server = try TestHTTP2Server(identity: try TestAuthority.make().issue(names: ["localhost"])) { stream in
      isSane.withLock { $0 } ? .ok("sane") : .steps([.send(Self.frames(stream.number, stream.identifier))])
    }
    let engine = Engine.forTests()
    var request = TransferRequest.get(server.url(host: "localhost"))
    request.options.idleTimeout = 0.3
    for _ in 0..<Self.rounds / 6 {
      let probes = (0..<6).map { _ in TransferProbe() }
      for probe in probes { _ = engine.launch(request, probe) }
      try await eventually(within: 8, "six ends") { probes.allSatisfy { $0.completions == 1 } }
    }
    isSane.withLock { $0 = true }
    request.options.idleTimeout = 5
    #expect(await Engine.forTests().run(request).body == Data("sane".utf8))
    // On the old engine the first may still meet a connection that has been spoilt.
    _ = await engine.run(request)
    #expect(await engine.run(request).body == Data("sane".utf8))
    try? server.stop()
  }
}
