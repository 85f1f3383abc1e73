import AFTestSupport
import Foundation
import Testing

/// `afnet upload` and `afnet stream`, as a user runs them, against servers on loopback.
@Suite struct UploadTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a file is put as it is, with its length and type, under its name below a folder`() async throws {
    try TestPattern.write(count: 2_000_000, to: directory.file("a b.mp4").path)
    try await withTestServer(handler: { .text(try $0.bodySHA256() ?? "") }) { server in
      let result = try await Afnet.run("upload", directory.file("a b.mp4").path, server.url("/d/").absoluteString)
      #expect(result.status == 0 && result.text == TestPattern.sha256(count: 2_000_000) && result.errors.isEmpty)
      let request = try #require(server.requests.last)
      #expect(request.method == "PUT" && request.target == "/d/a%20b.mp4")
      #expect(request.value("Content-Length") == "2000000" && request.value("Content-Type") == "video/mp4")
    }
  }

  @Test func `what comes out of a pipe is sent as it comes, in chunks`() async throws {
    try await withTestServer(handler: { .text(try $0.bodySHA256() ?? "") }) { server in
      let data = TestPattern.data(count: 1_000_000)
      let result = try await Afnet.run("upload", "-X", "POST", "-", server.url("/x").absoluteString, input: data)
      #expect(result.status == 0 && result.text == TestPattern.sha256(count: 1_000_000), "\(result.errors)")
      #expect(server.requests.last?.value("Transfer-Encoding") == "chunked")
      #expect(server.requests.last?.method == "POST")
    }
  }

  @Test func `a form is posted, in packets if that is asked for`() async throws {
    let file = try directory.write(Data(repeating: 0x61, count: 3_000), to: "f.txt")
    try await withTestServer(handler: { .data(try $0.body()) }) { server in
      let begin = Date()
      let result = try await Afnet.run(
        "upload", "-F", "a=1", "-F", "f=@\(file.path)", "--packet-size", "1K", "--delay", "0.1",
        server.url().absoluteString)
      #expect(result.status == 0 && result.text.contains("name=\"f\"; filename=\"f.txt\"\r\nContent-Type: text/plain"))
      #expect(Date().timeIntervalSince(begin) > 0.25)
      #expect(server.requests.last?.method == "POST")
    }
  }

  @Test func `the rate is limited`() async throws {
    try TestPattern.write(count: 400_000, to: directory.file("f").path)
    try await withTestServer(handler: { .text(try $0.bodySHA256() ?? "") }) { server in
      let begin = Date()
      let url = server.url("/f").absoluteString
      let result = try await Afnet.run("upload", directory.file("f").path, url, "--limit-rate", "400K")
      #expect(result.status == 0)
      #expect(Date().timeIntervalSince(begin) > 0.6)
    }
  }

  @Test func `what the server answers has its status, and a file is put again`() async throws {
    let file = try directory.write(Data("x".utf8), to: "f")
    let count = Recorder<Int>()
    try await withTestServer(handler: { request in
      count.record(1)
      return count.count == 1 ? TestResponse.text("busy", status: 503) : .text("done")
    }) { server in
      let url = server.url("/f").absoluteString
      let result = try await Afnet.run("upload", file.path, url, "--retry", "1")
      #expect(result.status == 0 && result.text == "done")
    }
    try await withTestServer(handler: { _ in .text("no", status: 403) }) { server in
      let result = try await Afnet.run("upload", file.path, server.url("/f").absoluteString)
      #expect(result.status == 8 && result.text == "no")
    }
  }

  @Test(
    arguments: [
      (["http://h/"], 2), (["/nonexistent", "http://h/"], 11), (["/", "http://h/"], 11),
      (["-F", "a=1", "f", "http://h/"], 2),
      (["/etc/hostname", "http://h/", "--packet-size", "1K"], 2), (["/dev/zero", "http://h/"], 11),
      (["-F", "a=@/nonexistent", "http://h/"], 11),
    ] as [([String], Int32)])
  func `wrong uploads are told in one line`(words: [String], status: Int32) async throws {
    let result = try await Afnet.run(["upload"] + words)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `lines are written as they come`() async throws {
    let go = Latch()
    try await withTestServer(handler: { _ in
      .stream { writer in
        try writer.write(Array("one\r\ntw".utf8))
        try writer.wait(for: go)
        try writer.write(Array("o\nthree".utf8))
      }
    }) { server in
      let output = directory.file("out")
      async let result = Afnet.shell("afnet stream \(server.url().absoluteString) >'\(output.path)'")
      try await eventually { (try? String(contentsOf: output, encoding: .utf8)) == "one\n" }
      go.open()
      #expect(try await result.status == 0)
      #expect(try String(contentsOf: output, encoding: .utf8) == "one\ntwo\nthree\n")
    }
  }

  @Test func `events go on over connections that end, from the one that came last`() async throws {
    try await withTestServer(handler: { request in
      switch request.value("Last-Event-ID") {
      case nil: TestResponse.text("id: 1\ndata: a\ndata: b\n\nretry: 10\nid: 2\nevent: x\ndata: c\n\ndata: lost")
      case "2": TestResponse.text(": comment\ndata: d\nid: 3\n\n")
      default: TestResponse.status(204)
      }
    }) { server in
      let result = try await Afnet.run(
        "stream", "--events", "--retry", "2", "--quiet", "--output", "json", server.url().absoluteString)
      #expect(result.status == 0)
      #expect(
        result.text == """
          {"data":"a\\nb","event":"message","id":"1"}
          {"data":"c","event":"x","id":"2"}
          {"data":"d","event":"message","id":"3"}

          """)
      #expect(server.requests.last?.value("Accept") == "text/event-stream")
    }
  }
}
