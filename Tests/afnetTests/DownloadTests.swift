import AFTestSupport
import Foundation
import Testing

/// `afnet download`, as a user runs it, against servers on loopback.
@Suite struct DownloadTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// What is in the folder.
  private var listing: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? ["?"] }

  private func sha256(_ name: String) throws -> String {
    TestDigest.sha256(try Data(contentsOf: directory.file(name)))
  }

  @Test func `a file comes whole, under the name of the URL, and its path is all of standard output`() async throws {
    try await withTestServer(handler: { .ranged($0, total: 3_000_000) }) { server in
      let result = try await Afnet.run("download", server.url("/a/big.bin").absoluteString, directory: directory.url)
      #expect(result.status == 0 && result.text == "big.bin\n" && result.errors.isEmpty)
      #expect(try sha256("big.bin") == TestPattern.sha256(count: 3_000_000))
      #expect(listing == ["big.bin"])
      #expect(server.requests.last?.value("Accept-Encoding") == "identity")
      let mode = try FileManager.default.attributesOfItem(atPath: directory.file("big.bin").path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o644)
    }
  }

  static let hostileNames: [(suggestion: String, name: String)] = [
    ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("-rf", "rf"), ("--output=x", "output=x"),
    (".bashrc", "bashrc"),
    ("..", "download"), ("...-. -", "download"), ("a\\..\\b", "b"), ("a\u{1B}[2Jb", "a[2Jb"),
    ("x\u{202E}gpj.exe", "xgpj.exe"),
    ("", "download"), (String(repeating: "n", count: 300) + ".txt", String(repeating: "n", count: 251) + ".txt"),
  ]

  @Test(arguments: hostileNames)
  func `no server writes outside the folder, hides a file or makes an option of its name`(
    suggestion: String, name: String
  ) async throws {
    let encoded = suggestion.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let response = TestResponse.text("x").with("Content-Disposition", "attachment; filename*=UTF-8''\(encoded)")
    let inside = directory.file("inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    try await withTestServer(handler: { _ in response }) { server in
      let result = try await Afnet.run("download", "--into", inside.path, server.url("/").absoluteString)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: inside.path) == [name])
      #expect(listing == ["inside"])
      #expect(!(result.text + result.errors).unicodeScalars.contains("\u{1B}"))
    }
  }

  @Test func `what is there already stays, unless it is to be replaced`() async throws {
    let file = try directory.write(Data("old".utf8), to: "f")
    try await withTestServer(handler: { _ in .text("new") }) { server in
      let url = server.url("/f").absoluteString
      for words in [["-o", file.path], ["--into", directory.path]] {
        let refused = try await Afnet.run(["download", url] + words)
        #expect(refused.status == 11 && refused.errors.contains("--overwrite"))
        #expect(listing == ["f"])
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
      }
      let replaced = try await Afnet.run("download", url, "-o", file.path, "--overwrite")
      #expect(replaced.status == 0)
      #expect(try String(contentsOf: file, encoding: .utf8) == "new")
      // A link that lies there is replaced, and not followed.
      let target = try directory.write(Data("target".utf8), to: "target")
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
      let linked = try await Afnet.run("download", url, "-o", file.path, "--overwrite")
      #expect(linked.status == 0)
      #expect(try String(contentsOf: target, encoding: .utf8) == "target")
    }
  }

  @Test func `a name that is taken costs no second download`() async throws {
    _ = try directory.write(Data("old".utf8), to: "f")
    try await withTestServer(handler: { .ranged($0, total: 700_000) }) { server in
      let url = server.url("/f").absoluteString
      let refused = try await Afnet.run("download", url, directory: directory.url)
      #expect(refused.status == 11 && listing.count == 2)
      let again = try await Afnet.run("download", "--overwrite", "--output", "json", url, directory: directory.url)
      #expect(again.status == 0 && again.text.contains("\"resumedAt\":700000"), "\(again)")
      #expect(try sha256("f") == TestPattern.sha256(count: 700_000))
      #expect(listing == ["f"])
    }
  }

  @Test func `a checksum that is right, wrong or none`() async throws {
    try await withTestServer(handler: { .ranged($0, total: 1_000) }) { server in
      let url = server.url("/f").absoluteString
      let right = TestPattern.sha256(count: 1_000)
      let wrong = try await Afnet.run(
        "download", url, "--checksum", String(repeating: "0", count: 64), directory: directory.url)
      #expect(wrong.status == 10 && wrong.errors.contains(right) && listing.isEmpty)
      let good = try await Afnet.run(
        "download", url, "--checksum", "SHA256:\(right.uppercased())", directory: directory.url)
      #expect(good.status == 0 && listing == ["f"])
      for text in ["", "sha256:", "md5:\(right)", "\(right)0", "sha256:\(String(repeating: "g", count: 64))"] {
        #expect(try await Afnet.run("download", url, "--checksum", text).status == 2)
      }
    }
  }

  @Test func `several files at once, of which one is not there`() async throws {
    try await withTestServer(handler: { $0.path == "/b" ? .text("no", status: 404) : .ranged($0, total: 50_000) }) {
      server in
      let urls = ["/a", "/b", "/c"].map { server.url($0).absoluteString }
      let result = try await Afnet.run(["download"] + urls, directory: directory.url)
      #expect(result.status == 8)
      #expect(Set(result.text.split(separator: "\n")) == ["a", "c"])
      #expect(result.errors.split(separator: "\n").count == 1 && result.errors.contains("404"))
      #expect(Set(listing) == ["a", "c"])
    }
  }

  @Test(arguments: [
    ["-o", "x", "http://h/a", "http://h/b"], ["--checksum", "sha256:00", "http://h/a"], ["-o", "-", "http://h/"],
    ["-o", "x/", "http://h/"],
    ["-o", "x", "--into", ".", "http://h/"], ["http://h/a", "http://h/a"],
  ])
  func `contradictions are refused before anything is sent`(words: [String]) async throws {
    let result = try await Afnet.run(["download"] + words, directory: directory.url)
    #expect(result.status == 2 && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(listing.isEmpty)
  }

  @Test func `a folder that is not there, a full disk, a folder of somebody else`() async throws {
    let missing = try await Afnet.run("download", "--into", directory.file("none").path, "http://127.0.0.1:1/")
    #expect(missing.status == 11)
    let file = try await Afnet.run("download", "-o", "/dev/null/x", "http://127.0.0.1:1/")
    #expect(file.status == 11)
    try FileManager.default.createSymbolicLink(
      at: directory.file("f.afnet"), withDestinationURL: directory.url)
    let link = try await Afnet.run("download", "-o", "f", "http://127.0.0.1:1/", directory: directory.url)
    #expect(link.status == 11 && link.errors.split(separator: "\n").count == 1)
  }

  @Test func `an interruption leaves what can be gone on with, and nothing else`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/none" ? .ranged(request, total: 8_000_000, entityTag: nil) : .ranged(request, total: 8_000_000)
    }) { server in
      for (path, name) in [("/f", "SIGINT"), ("/none", "SIGTERM")] {
        let line = "'\(Afnet.path)' download -o f --limit-rate 4M '\(server.url(path).absoluteString)'"
        let result = try await Afnet.shell(
          "timeout --preserve-status -k 5 -s \(name) 1.2 \(line); echo $?", directory: directory.url)
        #expect(result.text == (name == "SIGINT" ? "130\n" : "143\n"))
        #expect(listing == (path == "/f" ? ["f.afnet"] : []))
        if path == "/f" {
          let again = try await Afnet.run(
            "download", "-o", "f", "--output", "json", server.url(path).absoluteString, directory: directory.url)
          let object = try JSONSerialization.jsonObject(with: again.output) as? [String: Any]
          #expect(object?["resumedAt"] as? Int ?? 0 > 500_000)
          #expect(try sha256("f") == TestPattern.sha256(count: 8_000_000))
          try FileManager.default.removeItem(at: directory.file("f"))
        }
      }
    }
  }

  /// `AF_KILLS=200` for a longer run.
  @Test func `killed at random moments, it goes on to the right file`() async throws {
    let kills = ProcessInfo.processInfo.environment["AF_KILLS"].flatMap { Int($0) } ?? 12
    let total: Int64 = 12_000_000
    try await withTestServer(handler: { .ranged($0, total: total) }) { server in
      let url = server.url("/f").absoluteString
      let right = TestPattern.sha256(count: total)
      for _ in 0..<kills {
        let pause = Double.random(in: 0...0.6)
        _ = try await Afnet.shell(
          "\(Afnet.path) download -o f --limit-rate 24M \(url) & sleep \(pause); kill -9 $!; wait",
          directory: directory.url)
        if FileManager.default.fileExists(atPath: directory.file("f").path) {
          #expect(try sha256("f") == right)
          #expect(listing == ["f"])
          try FileManager.default.removeItem(at: directory.file("f"))
        }
      }
      let last = try await Afnet.run("download", "-o", "f", url, directory: directory.url)
      #expect(last.status == 0, "\(last.errors)")
      #expect(try sha256("f") == right)
      #expect(listing == ["f"])
    }
  }

  @Test func `what has changed meanwhile is begun anew, and so is a part whose note is another URL's`() async throws {
    let version = Recorder<Int>()
    try await withTestServer(handler: { request in
      let isFirst = version.count == 0
      version.record(1)
      let response = TestResponse.ranged(request, total: 2_000_000, entityTag: isFirst ? "\"v1\"" : "\"v2\"")
      return isFirst ? response.with(.close, at: .responseBody(1_200_000)) : response
    }) { server in
      let first = try await Afnet.run("download", "-o", "f", server.url("/f").absoluteString, directory: directory.url)
      #expect(first.status == 4 && listing == ["f.afnet"])
      let second = try await Afnet.run(
        "download", "-o", "f", "--output", "json", server.url("/g").absoluteString, directory: directory.url)
      #expect(second.text.contains("\"resumedAt\":0"))
      #expect(server.requests.last?.value("Range") == nil, "the part is of another URL")
      #expect(try sha256("f") == TestPattern.sha256(count: 2_000_000))
      #expect(listing == ["f"])
    }
  }

  @Test func `a server that breaks off is asked for the rest, as often as it brings something`() async throws {
    try await withTestServer(handler: { request in
      let response = TestResponse.ranged(request, total: 3_000_000)
      let isLast = request.value("Range").map { $0.hasPrefix("bytes=2") } ?? false
      return isLast ? response : response.with(.close, at: .responseBody(700_000))
    }) { server in
      let result = try await Afnet.run(
        "download", "-o", "f", "--retry", "1", "--quiet", server.url("/f").absoluteString, directory: directory.url)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try sha256("f") == TestPattern.sha256(count: 3_000_000))
      #expect(server.requestCount >= 4)
    }
  }

  @Test func `one process at a time has an unfinished download`() async throws {
    try await withTestServer(handler: { .ranged($0, total: 4_000_000) }) { server in
      let url = server.url("/f").absoluteString
      let result = try await Afnet.shell(
        "\(Afnet.path) download -o f --limit-rate 3M \(url) & sleep 0.5; afnet download -o f \(url); echo $?; wait",
        directory: directory.url)
      #expect(result.text.contains("11\n") && result.errors.contains("another process"))
      #expect(try sha256("f") == TestPattern.sha256(count: 4_000_000))
    }
  }
}
