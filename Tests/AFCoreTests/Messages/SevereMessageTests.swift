import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The severe findings about messages and connections, by programs as an app would write them, against servers that say the bytes.
@Suite struct SevereMessageTests {
  private static func manager() -> AFHTTPSessionManager {
    let manager = AFHTTPSessionManager(baseURL: nil, sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    return manager
  }

  private static func post(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.timeoutInterval = 10
    return request
  }

  @Test(arguments: ["data", "file", "multipart"])
  func `F27: the whole of an upload arrives, though its answer comes first`(kind: String) async throws {
    let size = 30 << 20
    let received = Recorder<Int>()
    let server = try RawServer { connection in
      guard let head = try connection.read(through: "\r\n\r\n") else { return }
      let text = String(decoding: head, as: UTF8.self).lowercased()
      let length = text.components(separatedBy: "content-length: ").last.flatMap { Int($0.prefix { $0.isNumber }) }
      _ = try connection.read(exactly: 10_000)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      received.record(try connection.read(exactly: (length ?? 0) - 10_000).count + 10_000)
    }
    let manager = Self.manager()
    let directory = try TemporaryDirectory()
    let answer: Data
    switch kind {
    case "data":
      answer = try await manager.upload(for: Self.post(server.url()), from: Data(count: size)).data
    case "file":
      let file = directory.file("body")
      try Data(count: size).write(to: file)
      answer = try await manager.upload(for: Self.post(server.url()), fromFile: file).data
    default:
      answer = try await manager.post(server.url().absoluteString) {
        $0.appendPart(withFileData: Data(count: size), name: "file", fileName: "file", mimeType: "a/b")
      }.data
    }
    #expect(answer == Data("ok".utf8))
    try await eventually("the whole body") { received.values.first ?? 0 >= size }
    try server.stop()
  }

  @Test func `F28: an answer in chunks from a server that reads no more comes at once`() async throws {
    let done = Latch()
    var options = ListenerOptions()
    options.receiveBuffer = 4096
    let server = try RawServer(options) { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
      try connection.wait(for: done)
    }
    let answer = try await Self.manager().upload(for: Self.post(server.url()), from: Data(count: 30 << 20))
    #expect(answer.data == Data("ok".utf8))
    done.open()
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `F29: chunks count, and not the length beside them`(method: String) async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n")
    }
    var request = Self.post(server.url())
    request.httpMethod = method
    #expect(try await Self.manager().data(for: request).data == Data("0123456789".utf8))
    try server.stop()
  }

  @Test(arguments: [
    ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst", "HTTP/1.1 408 Late\r\nContent-Length: 4\r\n\r\nlate"),
    ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"),
    ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"),
    ("GET", "HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"),
  ])
  func `F30: the next request gets its own answer`(method: String, first: String, stray: String) async throws {
    let isTaken = Latch()
    let isSent = Recorder<Bool>()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      guard connection.index == 0 else {
        return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown")
      }
      try connection.send(first)
      try connection.wait(for: isTaken)
      try connection.send(stray)
      isSent.record(true)
      while try !connection.read().isEmpty {}
    }
    let manager = Self.manager()
    var request = URLRequest(url: server.url("a"))
    request.httpMethod = method
    _ = try await manager.data(for: request)
    isTaken.open()
    try await isSent.wait(for: 1)
    #expect(try await manager.data(for: URLRequest(url: server.url("b"))).data == Data("own".utf8))
    #expect(server.acceptCount == 2)
    try server.stop()
  }

  @Test(arguments: ["0x5\r\nhello\r\n0\r\n\r\n", "0x5\r\n", "FFFFFFFFFFFFFFFF1\r\nx", "-1\r\nx"])
  func `F94: a chunk that has no size is broken HTTP, and no empty success`(body: String) async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    }
    let error = try await failure {
      _ = try await Self.manager().data(for: URLRequest(url: server.url()))
    }
    #expect(error.urlError?.code == .badServerResponse)
    try server.stop()
  }
}
