import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// `afnet get` and its like, as a user runs them, against servers on loopback.
@Suite struct VerbTests {
  @Test func `the body goes to standard output byte by byte, and nothing else does`() async throws {
    let body = TestPattern.data(count: 3_000_000)
    try await withTestServer(handler: { _ in .data(Array(body)) }) { server in
      let result = try await Afnet.run("get", server.url("/x").absoluteString)
      #expect(result.status == 0 && result.output == body && result.errors.isEmpty)
    }
  }

  @Test func `a redirect is followed, unless it is to be shown`() async throws {
    try await withTestServer(handler: { $0.path == "/a" ? .redirect(to: "/b") : .text("end") }) { server in
      #expect(try await Afnet.run("get", server.url("/a").absoluteString).text == "end")
      let shown = try await Afnet.run("get", "-i", "--no-follow", server.url("/a").absoluteString)
      #expect(shown.status == 0 && shown.text.hasPrefix("302 Found\n") && shown.text.contains("Location: /b\n"))
    }
  }

  @Test(arguments: [(404, 8), (429, 8), (500, 9), (503, 9), (204, 0)])
  func `the exit status tells what was answered, and the body is there all the same`(code: Int, status: Int32)
    async throws
  {
    try await withTestServer(handler: { _ in code == 204 ? .status(204) : .text("why", status: code) }) { server in
      let result = try await Afnet.run("get", server.url("/x?token=hidden").absoluteString)
      #expect(result.status == status)
      #expect(result.text == (code == 204 ? "" : "why"))
      #expect(result.errors.contains("\(code)") == (status != 0))
      #expect(!result.errors.contains("hidden"))
      #expect(result.errors.split(separator: "\n").count <= 1)
      #expect(try await Afnet.run("get", "--quiet", server.url().absoluteString).errors.isEmpty)
    }
  }

  @Test func `queries are escaped and added, header fields are sent, also those of a file`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("X-Secret: s3cret\n\nX-Other: b\r\n".utf8), to: "fields")
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      _ = try await Afnet.run(
        "get", server.url("/p?a=1").absoluteString + "#f", "-q", "b=x y&z", "-q", "c", "-H", "X-One: 1", "-H",
        "@\(file.path)",
        "-H", "accept: text/plain")
      let request = try #require(server.requests.first)
      #expect(request.head.target == "/p?a=1&b=x%20y%26z&c")
      #expect(request.head.value("X-One") == "1")
      #expect(request.head.value("X-Secret") == "s3cret")
      #expect(request.head.value("X-Other") == "b")
      #expect(request.head.value("Accept") == "text/plain")
      #expect(request.head.value("User-Agent")?.hasPrefix("afnet/") == true)
    }
  }

  @Test func `bodies: text, files, standard input, JSON`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("c=3".utf8), to: "body")
    try await withTestServer(handler: { request in try .data(request.body()) }) { server in
      let url = server.url().absoluteString
      let joined = try await Afnet.run("post", url, "-d", "a=1", "-d", "@\(file.path)")
      #expect(joined.text == "a=1&c=3")
      #expect(server.requests.last?.head.value("Content-Type") == "application/x-www-form-urlencoded")
      #expect(try await Afnet.run("put", url, "--json", "@-", input: Data("[1]".utf8)).text == "[1]")
      #expect(server.requests.last?.head.value("Content-Type") == "application/json")
      #expect(server.requests.last?.head.method == "PUT")
      #expect(try await Afnet.run("patch", url, "-d", "x", "-H", "Content-Type: text/x").text == "x")
      #expect(server.requests.last?.head.value("Content-Type") == "text/x")
      #expect(try await Afnet.run("delete", url).status == 0)
      #expect(server.requests.last?.head.method == "DELETE")
    }
  }

  @Test func `a form has fields, files, content of files and standard input`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("content".utf8), to: "a;b.txt")
    try await withTestServer(handler: { request in try .data(request.body()) }) { server in
      let result = try await Afnet.run(
        "post", server.url().absoluteString, "-F", "t=x;type=y", "-F", "f=@\(file.path);type=text/odd;filename=\"n\"",
        "-F", "v=<\(file.path)", "-F", "s=@-", input: Data("piped".utf8))
      #expect(result.text.contains("name=\"t\"\r\n\r\nx;type=y\r\n"))
      #expect(result.text.contains("name=\"f\"; filename=\"n\"\r\nContent-Type: text/odd\r\n\r\ncontent\r\n"))
      #expect(result.text.contains("name=\"v\"\r\n\r\ncontent\r\n"))
      #expect(
        result.text.contains(
          "name=\"s\"; filename=\"stdin\"\r\nContent-Type: application/octet-stream\r\n\r\npiped\r\n"))
    }
  }

  @Test func `head shows status and fields`() async throws {
    try await withTestServer(handler: { _ in TestResponse.text("12345").with("X-A", "b") }) { server in
      let result = try await Afnet.run("head", server.url().absoluteString)
      #expect(result.status == 0 && result.text.hasPrefix("200 ") && result.text.contains("X-A: b\n"))
      #expect(server.requests.last?.head.method == "HEAD")
    }
  }

  @Test func `json output is one object, metrics are bars on standard error`() async throws {
    try await withTestServer(handler: {
      $0.path == "/b" ? .data([0xFF]) : TestResponse.text("hi").with("X-A", "1").with("x-a", "2")
    }) {
      server in
      let result = try await Afnet.run("get", "--output", "json", server.url("/?sig=hidden").absoluteString)
      let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
      #expect(object["body"] as? String == "hi")
      #expect(object["status"] as? Int == 200)
      #expect((object["headers"] as? [String: [String]])?["x-a"] == ["1", "2"])
      #expect((object["metrics"] as? [String: Any])?["redirects"] as? Int == 0)
      #expect(!result.text.contains("hidden"))
      let binary = try await Afnet.run("get", "--output", "json", server.url("/b").absoluteString)
      #expect(binary.text.contains("\"bodyBase64\":\"/w==\""))
      let metrics = try await Afnet.run("get", "--metrics", server.url().absoluteString)
      #expect(metrics.text == "hi" && metrics.errors.contains("  wait      |") && metrics.errors.contains("total "))
    }
  }

  @Test func `what may pass is tried again, and a POST is not`() async throws {
    let first = Recorder<Int>()
    try await withTestServer(handler: { request in
      first.record(1)
      return first.count % 2 == 1 ? TestResponse.text("later", status: 503) : .text("now")
    }) { server in
      let result = try await Afnet.run("get", "--retry", "2", server.url().absoluteString)
      #expect(result.status == 0 && result.text == "now" && result.errors.contains("trying again in 1 s (1 of 2)"))
      let post = try await Afnet.run("post", "--retry", "2", "-d", "x", server.url().absoluteString)
      #expect(post.status == 9 && post.text == "later")
    }
  }

  @Test func `passwords come from the environment, from a file or from netrc, and are in no error`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("pa/ss?\nsecond line".utf8), to: "password")
    let netrc = try directory.write(Data("machine 127.0.0.1 login ada password pa/ss?".utf8), to: "netrc")
    let expected = "Basic " + Data("ada:pa/ss?".utf8).base64EncodedString()
    try await withTestServer(handler: { request in
      request.value("Authorization") == expected
        ? .text("in") : TestResponse.text("out", status: 401).with("WWW-Authenticate", "Basic realm=\"r\"")
    }) { server in
      let url = server.url().absoluteString
      #expect(try await Afnet.run("get", url, "-u", "ada", environment: ["AFNET_PASSWORD": "pa/ss?"]).text == "in")
      #expect(try await Afnet.run("get", url, "-u", "ada", "--password-file", file.path).text == "in")
      #expect(try await Afnet.run("get", url, "--netrc-file", netrc.path).text == "in")
      #expect(try await Afnet.run("get", url, "--netrc", environment: ["NETRC": netrc.path]).text == "in")
      let wrong = try await Afnet.run("get", url, "-u", "ada", environment: ["AFNET_PASSWORD": "wr0ng"])
      #expect(wrong.status == 8 && !wrong.errors.contains("wr0ng") && !wrong.errors.contains("ada"))
      let inArguments = try await Afnet.run("get", url, "-u", "ada:s3cret")
      #expect(inArguments.status == 2 && !inArguments.errors.contains("s3cret"))
      #expect(try await Afnet.run("get", url, "-u", "ada").status == 2)
    }
    try await withTestServer(handler: { .text($0.value("Authorization") ?? "") }) { server in
      let token = try await Afnet.run(
        "get", server.url().absoluteString, "--token", environment: ["AFNET_TOKEN": "t0k"])
      #expect(token.text == "Bearer t0k")
    }
  }

  @Test func `standard output that is full, closed or no longer read`() async throws {
    try await withTestServer(handler: { _ in .pattern(400_000) }) { server in
      let url = server.url().absoluteString
      let full = try await Afnet.shell("afnet get \(url) >/dev/full")
      #expect(full.status == 11 && full.errors.contains("No space left"))
      let closed = try await Afnet.shell("afnet get \(url) >&-")
      #expect(closed.status == 11 && closed.errors.contains("Bad file descriptor"))
      let pipe = try await Afnet.shell("afnet get \(url) | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}")
      #expect(pipe.text == "141\n" && pipe.errors.isEmpty)
      let ignored = try await Afnet.shell(
        "trap '' PIPE; afnet get \(url) | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}")
      #expect(ignored.text == "141\n" && ignored.errors.isEmpty)
    }
  }
}
