import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
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

/// What no server should send: heads made of pieces that mean something, put together at random.
private struct HostileHead {
  private static let statuses = [
    200, 200, 200, 201, 203, 204, 205, 206, 226, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 403, 404, 407, 408,
    410,
    412, 416, 417, 421, 425, 429, 431, 451, 500, 501, 502, 503, 504, 511, 599, 600, 999, 99, 0,
  ]
  private static let names = [
    "Set-Cookie", "Location", "WWW-Authenticate", "Proxy-Authenticate", "Authentication-Info", "Content-Type",
    "Content-Disposition", "Content-Range", "Content-Encoding", "Content-Location", "Age", "Cache-Control", "Expires",
    "Date", "Last-Modified", "ETag", "Vary", "Pragma", "Accept-Ranges", "Link", "Retry-After", "Alt-Svc", "Connection",
    "Keep-Alive", "Trailer", "Upgrade", "Warning", "Strict-Transport-Security", "X-😀", "", " ", "A B", "Content-Length",
    "Transfer-Encoding", "Clear-Site-Data", "Refresh", "Server", "NEL", ":path",
  ]
  private static let pieces: [[UInt8]] =
    [
      "a", "=", ";", ",", "\"", "\\", " ", "\t", "😀", "é", "%", "%zz", "%00", "/", "?", "#", ":", "-", "+", "*", "(",
      ")", "0",
      "1", "-1", "60", "2147483648", "9223372036854775807", "9223372036854775808", "99999999999999999999999", "0x10",
      "1e9",
      "1.5", "NaN", "Basic", "Digest", "Negotiate", "NTLM", "Bearer", "realm", "nonce", "qop=\"auth\"", "algorithm=MD5",
      "stale=true", "nextnonce", "rspauth", "bytes", "bytes 0-1/2", "bytes */5", "0-", "gzip", "br", "zstd", "deflate",
      "identity", "chunked", "max-age=", "no-store", "no-cache", "must-revalidate", "stale-while-revalidate=",
      "private=",
      "immutable", "Max-Age=", "Expires=", "Domain=", "Path=/", "Secure", "__Host-", "SameSite=None", "text/html",
      "charset=",
      "filename=", "filename*=UTF-8''", "attachment", "Thu, 01 Jan 1970 00:00:00 GMT", "Sun Nov  6 08:49:37 1994",
      "Fri, 31 Dec 9999 23:59:59 GMT", "31 Feb", "W/", "close", "keep-alive", "timeout=", "h2c",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC0, 0x80], [0xE2, 0x28], [0xED, 0xA0, 0x80], [0x00], [0x01], [0x7F], [0x0D], [0x0B],
    ]

  let bytes: [UInt8]

  init(_ seed: Int) {
    var dice = Dice(state: UInt64(seed))
    let status = Self.statuses.randomElement(using: &dice) ?? 200
    var bytes = Array("HTTP/1.\(seed % 7 == 0 ? 0 : 1) \(status) \(seed % 5 == 0 ? "" : "Some😀")\r\n".utf8)
    for _ in 0..<Int.random(in: 0...6, using: &dice) {
      let name = Self.names.randomElement(using: &dice) ?? ""
      // Not to a host of another's.
      bytes += Array(
        "\(name)\(Int.random(in: 0..<40, using: &dice) == 0 ? " " : ""):\(name == "Location" ? "/x" : "")".utf8)
      for _ in 0..<Int.random(in: 0...12, using: &dice) { bytes += Self.pieces.randomElement(using: &dice) ?? [] }
      if Int.random(in: 0..<30, using: &dice) == 0 { bytes += Array("\r\n folded".utf8) }
      bytes += Array("\r\n".utf8)
    }
    let body = Array("hello".utf8)
    if Bool.random(using: &dice) { bytes += Array("Content-Length: 5\r\n".utf8) }
    self.bytes = bytes + Array("\r\n".utf8) + body
  }
}

/// A remote server's head, whatever stands in it, neither ends the process nor keeps a task from ending, and the session goes on.
@Suite struct HostileHeadTests {
  private static let kinds = ["data", "download", "upload", "head", "resume", "stream"]

  private static var rounds: Int { ProcessInfo.processInfo.environment["AF_HOSTILE_HEADS"].flatMap { Int($0) } ?? 100 }

  @Test(arguments: kinds) func `F01, F50: heads made at random`(kind: String) async throws {
    let server = try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        let line = String(decoding: head.prefix { $0 != 0x0D }, as: UTF8.self)
        guard line.contains("/hostile/"), let seed = Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) else {
          return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsane")
        }
        if line.hasPrefix("POST") { _ = try connection.read(exactly: 4) }
        try connection.send(HostileHead(seed).bytes)
        // Else the next request may come on the same connection.
        if seed % 3 > 0 { return }
      }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 5
    let manager = AFHTTPSessionManager(baseURL: nil, sessionConfiguration: configuration)
    let serializer = AFHTTPResponseSerializer()
    serializer.acceptableStatusCodes = nil
    manager.responseSerializer = serializer
    manager.completionQueue = DispatchQueue(label: "test.completions")
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      guard challenge.previousFailureCount < 2 else {
        return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      return URLCredential(user: "u", password: "p", persistence: .none)
    }
    let directory = try TemporaryDirectory()
    for seed in 0..<Self.rounds {
      var request = URLRequest(url: server.url("hostile/\(seed)"))
      if seed % 3 == 0 { request.timeoutInterval = 0.2 }
      do {
        let response = try await Self.run(kind, request, manager, directory)
        // What the app looks at may not end the process either.
        _ = (
          response?.suggestedFilename, response?.mimeType, response?.textEncodingName, response?.expectedContentLength
        )
        _ = response?.allHeaderFields
        if let response { _ = AFSuggestedFilename(response) }
      } catch {
        // A connection that stays open may leave an end untold.
        if seed % 3 > 0 { #expect(((error as? AFError)?.cause as? URLError)?.code != .timedOut, "seed \(seed)") }
        _ = "\(error) \((error as NSError).localizedDescription)"
      }
    }
    #expect(try await manager.data(for: URLRequest(url: server.url("sane"))).data == Data("sane".utf8))
    try? server.stop()
  }

  private static func run(
    _ kind: String, _ request: URLRequest, _ manager: AFHTTPSessionManager, _ directory: TemporaryDirectory
  ) async throws -> HTTPURLResponse? {
    var request = request
    switch kind {
    case "download":
      return try await manager.download(for: request, to: directory.file(UUID().uuidString)).response
    case "upload":
      request.httpMethod = "POST"
      return try await manager.upload(for: request, from: Data("body".utf8)).response
    case "head":
      request.httpMethod = "HEAD"
      return try await manager.data(for: request).response
    case "resume":
      request.setValue("bytes=3-", forHTTPHeaderField: "Range")
      return try await manager.download(for: request, to: directory.file(UUID().uuidString)).response
    case "stream":
      let stream = try await manager.stream(for: request)
      for try await _ in stream.chunks {}
      return stream.response
    default: return try await manager.data(for: request).response
    }
  }
}
