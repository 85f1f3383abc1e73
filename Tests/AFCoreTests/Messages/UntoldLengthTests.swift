import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// F48, B81: files whose length the file system does not tell: /proc says 0, /sys says a page.
@Suite struct UntoldLengthTests {
  static let files = ["/proc/version", "/sys/class/net/lo/mtu"]

  private func content(_ path: String) throws -> Data {
    let tool = Process()
    let output = Pipe()
    tool.executableURL = URL(fileURLWithPath: "/bin/cat")
    tool.arguments = [path]
    tool.standardOutput = output
    try tool.run()
    defer { tool.waitUntilExit() }
    return try output.fileHandleForReading.readToEnd() ?? Data()
  }

  @Test(arguments: files, ["POST", "PUT"])
  func `B81: upload from a file`(path: String, method: String) async throws {
    let expected = try content(path)
    try #require(!expected.isEmpty)
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      var request = URLRequest(url: server.url())
      request.httpMethod = method
      let ends = Recorder<Completion>()
      manager.uploadTask(
        with: request, fromFile: URL(fileURLWithPath: path), progress: nil, completionHandler: ends.handler
      ).resume()
      let endsFirst = try await ends.wait(for: 1)[0]
      #expect(endsFirst.error == nil)
      let sent = try #require(server.requests.first)
      #expect(Data(sent.body) == expected)
      #expect(sent.value("Content-Length") == String(expected.count))
    }
  }

  @Test(arguments: files) func `B81: a part of a form, by name and as an open handle`(path: String) throws {
    let expected = try content(path)
    let handle = try #require(FileHandle(forReadingAtPath: path))
    defer { try? handle.close() }
    let contents = [
      try AFMultipartContent.file(URL(fileURLWithPath: path)), try .file(handle),
      try .file(handle, offset: 1, length: Int64(expected.count) - 2),
    ]
    for (index, content) in contents.enumerated() {
      let wanted = index < 2 ? expected : expected.dropFirst().dropLast()
      #expect(content.length == Int64(wanted.count))
      let form = AFMultipartForm()
      form.append(AFMultipartPart(name: "f", content: content))
      #expect(try read(form.makeBodyStream()).range(of: Data("\r\n\r\n".utf8) + wanted + Data("\r\n".utf8)) != nil)
    }
    #expect(throws: AFMultipartError.self) { try AFMultipartContent.file(handle, offset: 0, length: 1 << 20) }
  }

  private func read(_ stream: InputStream) throws -> Data {
    stream.open()
    defer { stream.close() }
    var result = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return result }
      result.append(contentsOf: buffer[..<count])
    }
  }

  @Test func `B81: an empty file is sent as no bytes`() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("empty")
    try Data().write(to: file)
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      var request = URLRequest(url: server.url())
      request.httpMethod = "PUT"
      let ends = Recorder<Completion>()
      manager.uploadTask(with: request, fromFile: file, progress: nil, completionHandler: ends.handler).resume()
      let endsFirst = try await ends.wait(for: 1)[0]
      #expect(endsFirst.error == nil)
      #expect(server.requests.first?.value("Content-Length") == "0")
      #expect(try AFMultipartContent.file(file).length == 0)
    }
  }

  @Test func `B81: one that cannot be read is an error before anything is sent`() async throws {
    // A regular file of size 0 that can be opened and not read.
    let path = "/proc/self/mem"
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      var request = URLRequest(url: server.url())
      request.httpMethod = "PUT"
      let ends = Recorder<Completion>()
      manager.uploadTask(
        with: request, fromFile: URL(fileURLWithPath: path), progress: nil, completionHandler: ends.handler
      ).resume()
      let endsFirst = try await ends.wait(for: 1)[0]
      #expect(endsFirst.error is URLError)
      #expect(server.acceptCount == 0)
      #expect(throws: AFMultipartError.self) { try AFMultipartContent.file(URL(fileURLWithPath: path)) }
    }
  }
}
