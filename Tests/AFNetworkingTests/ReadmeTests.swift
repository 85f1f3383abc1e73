import AFNetworking
import AFTestSupport
import Testing

/// The README's examples compile, do what the README says, and are what the README shows.
@Suite struct ReadmeTests {
  private func manager(_ server: TestServer) -> AFHTTPSessionManager { AFHTTPSessionManager(baseURL: server.url()) }

  @Test func `every example of the README is one of those that are compiled`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let compiled = try String(contentsOf: here.appendingPathComponent("ReadmeExamples.swift"), encoding: .utf8)
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let examples = readme.components(separatedBy: "<!-- example: ").dropFirst()
    #expect(examples.count == 5)
    for example in examples {
      let fences = example.components(separatedBy: "```")
      try #require(fences.count >= 3)
      let code = fences[1].dropFirst("swift\n".count)
      #expect(compiled.contains(code), "not compiled: \(code)")
    }
  }

  @Test func `the closure example calls back on its queue`() async throws {
    try await withTestServer(handler: { _ in .json(#"[{"id": 1, "title": "a"}]"#) }) { server in
      printItems(manager(server))
      try await eventually("a request for page 2") { server.requests.first?.target == "/items?page=2" }
    }
  }

  @Test func `the upload example sends the file, slowly, with its length`() async throws {
    let folder = try TemporaryDirectory()
    let video = try folder.write(TestPattern.data(count: 300_000), to: "video.mp4")
    try await withTestServer(handler: { _ in .json("{}", status: 201) }) { server in
      try await upload(video, with: manager(server))
      let request = try #require(server.requests.first)
      #expect(request.value("Content-Length") == "\(request.bodyCount)")
      #expect(request.bodyText.contains(#"name="album""#))
      let boundary = try #require(request.value("Content-Type")?.components(separatedBy: "boundary=").last)
      let file = request.body.dropLast("\r\n--\(boundary)--\r\n".utf8.count).suffix(300_000)
      #expect(TestDigest.sha256(Array(file)) == TestPattern.sha256(count: 300_000))
    }
  }

  @Test func `the pin example accepts the pinned server and no other`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["127.0.0.1"])
    let other = try authority.issue(names: ["127.0.0.1"])
    let tls = TestServer.Options(tls: TestTLS(identity))
    try await withTestServer(tls, handler: { _ in .json("{}") }) { server in
      let good = try makePinnedManager(identity.certificate, authority.certificate, server.url())
      let answer = try await good.get("x")
      #expect(answer.statusCode == 200)
      let bad = try makePinnedManager(other.certificate, authority.certificate, server.url())
      let error = await #expect(throws: AFError.self) { _ = try await bad.get("x") }
      #expect(error?.urlError?.code == .serverCertificateUntrusted)
      #expect(server.requestCount == 1)
    }
  }

  @Test func `the download example saves the file or says why not`() async throws {
    let folder = try TemporaryDirectory()
    try await withTestServer(handler: { request in
      request.path == "/files/a" ? .pattern(1_000_000) : .status(404)
    }) { server in
      #expect(await fetch("a", to: folder.file("a"), with: manager(server)) == "saved")
      let digest = try TestDigest.sha256(ofFile: folder.file("a").path)
      #expect(digest == TestPattern.sha256(count: 1_000_000))
      #expect(await fetch("b", to: folder.file("b"), with: manager(server)) == "refused with 404")
      let contents = try folder.contents
      #expect(contents == ["a"])
    }
  }

  @Test func `the GET example decodes items`() async throws {
    // Its URL is the README's; what it does with an answer is shown with the same call here.
    try await withTestServer(handler: { _ in .json(#"[{"id": 1, "title": "a"}]"#) }) { server in
      let items: [Item] = try await manager(server).get("items", parameters: ["page": 2])
      #expect(items.map(\.title) == ["a"])
    }
  }
}
