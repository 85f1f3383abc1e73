import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// What HTTP/2 servers do wrong in their own way: each ends a task once, with a typed error, and its session goes on.
@Suite struct HTTP2FaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var opening: [UInt8]?
    var part = TestHTTP2Server.RequestPart.end
    /// nil: it is no fault.
    var code: URLError.Code? = .networkConnectionLost
    /// What is wrong comes behind a body that is whole by its length: the answer may have ended before it was read.
    var isBehindTheEnd = false
    let bytes: @Sendable (UInt32) -> [UInt8]

    var testDescription: String { name }
  }

  private static let ok = HPACK.block([("content-length", "4")])

  private static func head(_ stream: UInt32, _ block: [UInt8] = ok, ends: Bool = false) -> [UInt8] {
    HTTP2Frame.head([0x88] + block, stream: stream, endsStream: ends)
  }

  private static func body(_ stream: UInt32, _ text: String = "good", ends: Bool = true) -> [UInt8] {
    HTTP2Frame.data(Array(text.utf8), stream: stream, endsStream: ends)
  }

  /// 13 is left out: it asks for HTTP/1.1, which libcurl then tries, and this server does not speak it.
  static let resets: [Case] =
    (0...12).map { code in
      Case(name: "RST_STREAM \(code) before the head", part: .head) { HTTP2Frame.reset(stream: $0, code: code) }
    }
    + (0...12).map { code in
      Case(name: "RST_STREAM \(code) in the body") {
        head($0) + body($0, "go", ends: false) + HTTP2Frame.reset(stream: $0, code: code)
      }
    }

  static let goodbyes: [Case] = [
    Case(name: "GOAWAY in the body, and the end of the connection") {
      head($0) + body($0, "go", ends: false) + HTTP2Frame.goAway(last: $0, code: 2)
    },
    Case(name: "GOAWAY before a whole answer", code: nil) {
      HTTP2Frame.goAway(last: 0x7FFF_FFFF, code: 0) + head($0) + body($0)
    },
    Case(name: "an answer before the body is read, and RST_STREAM 0", part: .body(10_000), code: nil) {
      head($0) + body($0) + HTTP2Frame.reset(stream: $0, code: 0)
    },
  ]

  static let frames: [Case] = [
    Case(name: "DATA of 20,000 bytes") {
      head($0) + HTTP2Frame(kind: .data, stream: $0, payload: Array(repeating: 1, count: 20_000)).bytes
    },
    Case(name: "DATA before the head") { body($0) },
    Case(name: "DATA for stream 0") { head($0) + body(0) },
    Case(name: "DATA for a stream that nobody opened") { head($0) + body(99) },
    Case(name: "HEADERS for stream 0") { _ in head(0) },
    Case(name: "CONTINUATION without HEADERS") {
      HTTP2Frame(kind: .continuation, flags: 4, stream: $0, payload: [0x88]).bytes
    },
    Case(name: "DATA within a header block") {
      HTTP2Frame(kind: .headers, stream: $0, payload: [0x88]).bytes + body($0)
    },
    Case(name: "PUSH_PROMISE, which nobody allowed") {
      HTTP2Frame(kind: .pushPromise, flags: 4, stream: $0, payload: [0, 0, 0, 2, 0x82]).bytes + head($0) + body($0)
    },
    Case(name: "SETTINGS of five bytes") { _ in HTTP2Frame(kind: .settings, payload: [0, 1, 2, 3, 4]).bytes },
    Case(name: "SETTINGS with a window of 4 GiB") { _ in HTTP2Frame.settings(4, .max) },
    Case(name: "WINDOW_UPDATE that overflows the window") { _ in
      HTTP2Frame(kind: .windowUpdate, payload: [0x7F, 0xFF, 0xFF, 0xFF]).bytes
    },
    Case(name: "WINDOW_UPDATE of 0") { HTTP2Frame(kind: .windowUpdate, stream: $0, payload: [0, 0, 0, 0]).bytes },
    Case(name: "a frame of an unknown kind", code: nil) {
      HTTP2Frame(kind: nil, stream: $0, payload: [1, 2, 3]).bytes + head($0) + body($0)
    },
    Case(name: "2,000 PINGs", code: Libcurl.endsFloodOfPings ? .networkConnectionLost : nil) { stream in
      Array(repeating: HTTP2Frame(kind: .ping, payload: Array(repeating: 0, count: 8)).bytes, count: 2000).flatMap {
        $0
      }
        + head(stream) + body(stream)
    },
    Case(name: "5,000 frames of DATA without a byte", code: nil) { stream in
      head(stream) + Array(repeating: body(stream, "", ends: false), count: 5000).flatMap { $0 } + body(stream)
    },
    Case(name: "HTTP/1.1 in place of SETTINGS", opening: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) { _ in [] },
  ]

  static let heads: [Case] = [
    Case(name: "a header block that is no HPACK") {
      HTTP2Frame.head([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], stream: $0)
    },
    Case(name: "a field of the table that was never set") { HTTP2Frame.head([0x88] + HPACK.indexed(70), stream: $0) },
    Case(name: "no status") { HTTP2Frame.head(ok, stream: $0) + body($0) },
    Case(name: "two statuses") { HTTP2Frame.head([0x88, 0x88], stream: $0) + body($0) },
    Case(name: "a status that is no number") {
      HTTP2Frame.head(HPACK.block([(":status", "abc")]), stream: $0) + body($0)
    },
    Case(name: "a name in capitals") { head($0, HPACK.block([("X-A", "1")])) + body($0) },
    Case(name: "a line end in a value") { head($0, HPACK.block([("x-a", "1\r\nx-b: 2")])) + body($0) },
    Case(name: "NUL in a value") { head($0, HPACK.block([("x-a", "1\u{0}2")])) + body($0) },
    Case(name: "more than Content-Length") { head($0) + body($0, "good and more") },
    Case(name: "less than Content-Length") { head($0) + body($0, "go") },
    Case(name: "two lengths") { head($0, ok + HPACK.block([("content-length", "5")])) + body($0) },
    Case(name: "a length that is no number") { head($0, HPACK.block([("content-length", "4x")])) + body($0) },
    Case(name: "103 before the head", code: nil) {
      HTTP2Frame.head(HPACK.block([(":status", "103"), ("link", "</a>")]), stream: $0) + head($0) + body($0)
    },
    Case(name: "trailers", code: nil) {
      head($0) + body($0, ends: false) + HTTP2Frame.head(HPACK.block([("x-sum", "7")]), stream: $0, endsStream: true)
    },
    Case(name: "trailers with a status", isBehindTheEnd: true) {
      head($0) + body($0, ends: false) + HTTP2Frame.head([0x88], stream: $0, endsStream: true)
    },
    Case(name: "trailers that do not end the stream", isBehindTheEnd: true) {
      head($0) + body($0, ends: false) + HTTP2Frame.head(HPACK.block([("x-sum", "7")]), stream: $0) + body($0)
    },
  ]

  static let cases = resets + goodbyes + frames + heads

  @Test(arguments: cases) func `An HTTP/2 fault ends a task once, and its session goes on`(_ fault: Case) async throws {
    let authority = try TestAuthority.make()
    let isHealed = Recorder<Bool>()
    let server = try TestHTTP2Server(
      identity: try authority.issue(names: ["localhost"]),
      opening: { _ in isHealed.count > 0 ? nil : fault.opening.map { [.send($0)] } },
      answer: { stream in
        guard isHealed.count == 0 else { return .ok("good") }
        let end: [TestStep] = fault.code == nil ? [] : [.effect(.close)]
        return .steps([.send(fault.bytes(stream.identifier))] + end, after: fault.part)
      })
    let configuration = quietConfiguration()
    configuration.timeoutIntervalForRequest = 20
    let manager = AFURLSessionManager(sessionConfiguration: configuration)
    manager.completionQueue = DispatchQueue(label: "completions")
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = try .trusting(authority.certificate)
    let url = server.url(host: "localhost")
    let gets = Recorder<Completion>()
    manager.dataTask(with: URLRequest(url: url), completionHandler: gets.handler).resume()
    let posts = Recorder<Completion>()
    var post = URLRequest(url: url)
    post.httpMethod = "POST"
    manager.uploadTask(with: post, from: Data(count: 30_000), progress: nil, completionHandler: posts.handler).resume()
    try await eventually(within: 30) { gets.count > 0 && posts.count > 0 }
    for completion in gets.values + posts.values {
      let isWhole = completion.error == nil && (fault.code == nil || fault.isBehindTheEnd)
      #expect(isWhole || completion.code == fault.code, "\(String(describing: completion.error))")
      if isWhole { #expect(completion.object as? Data == Data("good".utf8)) }
    }
    isHealed.record(true)
    var next = URLRequest(url: url)
    next.timeoutInterval = 20
    #expect(try await manager.data(for: next).data == Data("good".utf8))
    #expect(gets.count == 1 && posts.count == 1)
    try server.stop()
  }
}
