import AFMultipart
import AFSupport
import Foundation
import Testing

/// Parts that are files: what can be appended, and what happens when the file changes before it is sent.
@Suite(.offThePool) struct FilePartTests {
  @Test("AF-X022: a URL that is no file URL, and a missing file: the domain and code of AFNetworking")
  func notFiles() throws {
    let form = AFMultipartForm()
    for url in ["https://example.org/a.txt", "file:///no/such/file"].compactMap(URL.init(string:)) {
      let error = #expect(throws: AFMultipartError.self) { try form.appendPart(withFileURL: url, name: "f") }
      let bridged = try #require(error) as NSError
      #expect(bridged.domain == "com.alamofire.error.serialization.request")
      #expect(bridged.code == -1000)
      #expect(bridged.userInfo[NSLocalizedFailureReasonErrorKey] as? String != nil)
      #expect(error?.partName == "f")
    }
    #expect(form.isEmpty, "nothing is appended by a failure")
  }

  @Test("AF-X022: a directory, a FIFO, a device and a dangling link are refused at once, by name")
  func notRegular() throws {
    try withTemporaryDirectory { directory in
      let form = AFMultipartForm()
      func code(_ url: URL) -> AFMultipartError.Code? {
        let error = #expect(throws: AFMultipartError.self) { try form.appendPart(withFileURL: url, name: "f") }
        #expect(error?.description.contains(url.path) == true)
        #expect(error?.fileURL?.path == url.path)
        return error?.code
      }
      #expect(code(directory) == .isDirectory)
      let fifo = directory.appendingPathComponent("fifo")
      try #require(mkfifo(fifo.path, 0o600) == 0)
      #expect(code(fifo) == .notRegularFile)
      #expect(code(URL(fileURLWithPath: "/dev/null")) == .notRegularFile)
      let link = directory.appendingPathComponent("link")
      try FileManager.default.createSymbolicLink(
        at: link, withDestinationURL: directory.appendingPathComponent("nothing"))
      #expect(code(link) == .unreachableFile)
      #expect(form.isEmpty)
    }
  }

  @Test("An unreadable file is refused at once")
  func unreadable() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("secret")
      try Data("x".utf8).write(to: file)
      chmod(directory.path, 0o755)
      chmod(file.path, 0)
      let outcome = asNobody { Result { try AFMultipartForm().appendPart(withFileURL: file, name: "f") } }
      let result = try #require(outcome)
      let error = #expect(throws: AFMultipartError.self) { try result.get() }
      #expect(error?.code == .unreadableFile)
    }
  }

  @Test("AF-X022: a symbolic link counts as the file it leads to")
  func symbolicLink() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("file.bin")
      try patternedData(100).write(to: file)
      let link = directory.appendingPathComponent("link.bin")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      let form = AFMultipartForm()
      try form.appendPart(withFileURL: link, name: "f")
      let body = try drain(form.makeBodyStream())
      #expect(Int64(body.count) == form.contentLength)
      #expect(body.range(of: patternedData(100)) != nil)
      #expect(body.range(of: Data("filename=\"link.bin\"".utf8)) != nil)
    }
  }

  @Test("The name and type of a file come from its URL")
  func nameAndType() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("ADN cert.cer")
      try Data().write(to: file)
      let form = AFMultipartForm()
      try form.appendPart(withFileURL: file, name: "f")
      let text = String(decoding: try drain(form.makeBodyStream()), as: UTF8.self)
      #expect(text.contains("filename=\"ADN cert.cer\"\r\nContent-Type: application/x-x509-ca-cert\r\n"))
    }
  }

  @Test("AF-X022: a file that grows is sent up to the length it had, so Content-Length stays true")
  func growing() throws {
    try withChangedFile(change: { try (Data(contentsOf: $0) + patternedData(5_000)).write(to: $0) }) { form, before in
      let body = try drain(form.makeBodyStream())
      #expect(Int64(body.count) == form.contentLength)
      #expect(body.range(of: before) != nil)
    }
  }

  @Test("AF-X022: a file that shrinks fails the body, by name")
  func shrinking() throws {
    try withChangedFile(change: { try patternedData(500).write(to: $0) }) { form, _ in
      let error = #expect(throws: AFMultipartError.self) { try drain(form.makeBodyStream()) }
      #expect(error?.code == .endedEarly)
      #expect(error?.partName == "f")
      #expect(error?.partIndex == 1)
      #expect(error?.fileURL?.lastPathComponent == "f.bin")
    }
  }

  @Test("A file that shrinks while it is read fails the body")
  func shrinkingMidway() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("f.bin")
      try patternedData(1 << 20).write(to: file)
      let form = AFMultipartForm()
      try form.appendPart(withFileURL: file, name: "f")
      let stream = form.makeBodyStream()
      stream.open()
      var bytes = [UInt8](repeating: 0, count: 1000)
      #expect(stream.read(&bytes, maxLength: 1000) > 0)
      try #require(truncate(file.path, 10_000) == 0)
      let error = #expect(throws: AFMultipartError.self) { try drain(stream) }
      #expect(error?.code == .endedEarly)
    }
  }

  @Test("A file that vanishes fails the body, by name, after no byte of it")
  func vanishing() throws {
    try withChangedFile(change: { try FileManager.default.removeItem(at: $0) }) { form, _ in
      let error = #expect(throws: AFMultipartError.self) { try drain(form.makeBodyStream()) }
      #expect(error?.code == .unreachableFile)
      #expect(error?.partName == "f")
    }
  }

  @Test("A file that has become a directory fails the body, and one that has become a FIFO does not hang it")
  func replaced() throws {
    try withChangedFile(
      change: {
        try FileManager.default.removeItem(at: $0)
        try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false)
      },
      check: { form, _ in
        #expect(throws: AFMultipartError.self) { try drain(form.makeBodyStream()) }
      })
    try withChangedFile(
      change: {
        try FileManager.default.removeItem(at: $0)
        try #require(mkfifo($0.path, 0o600) == 0)
      },
      check: { form, _ in
        let error = #expect(throws: AFMultipartError.self) { try drain(form.makeBodyStream()) }
        #expect(error?.code == .notRegularFile)
      })
  }

  @Test("A range of a file, and what is outside of it")
  func range() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("f.bin")
      let data = patternedData(10_000)
      try data.write(to: file)
      func content(_ offset: Int64, _ length: Int64?) throws -> Data {
        let form = AFMultipartForm(boundary: "b")
        form.append(AFMultipartPart(headers: [:], content: try .file(file, offset: offset, length: length)))
        let body = try drain(form.makeBodyStream())
        #expect(Int64(body.count) == form.contentLength)
        return body.dropFirst("--b\r\n\r\n".utf8.count).dropLast("\r\n--b--\r\n".utf8.count)
      }
      #expect(try content(0, nil) == data)
      #expect(try content(9_000, nil) == data[9_000...])
      #expect(try content(123, 456) == data[123..<579])
      #expect(try content(10_000, nil).isEmpty)
      let outside: [(Int64, Int64?)] = [(10_001, nil), (0, 10_001), (9_999, 2), (-1, nil), (0, -1), (1, .max)]
      for (offset, length) in outside {
        let error = #expect(throws: AFMultipartError.self) {
          try AFMultipartContent.file(file, offset: offset, length: length)
        }
        #expect(error?.code == .outOfRange)
      }
    }
  }

  @Test("AF-X018: a sparse file of 3 GiB: lengths are 64 bits wide, and all of it comes")
  func sparse() throws {
    try withTemporaryDirectory(inMemory: true) { directory in
      let file = directory.appendingPathComponent("sparse.bin")
      try Data().write(to: file)
      try #require(truncate(file.path, 3 << 30) == 0)
      let form = AFMultipartForm()
      try form.appendPart(withFileURL: file, name: "f")
      let length = try #require(form.contentLength)
      #expect(length > 3 << 30)
      var total: Int64 = 0
      try drain(form.makeBodyStream().makeBodyReader(), readSize: 1 << 20, within: 60) { total += Int64($0.count) }
      #expect(total == length)
    }
  }

  /// A form of a field and a file of 1,000 bytes that changes after it was appended.
  private func withChangedFile(
    change: (URL) throws -> Void, check: (_ form: AFMultipartForm, _ before: Data) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("f.bin")
      let before = patternedData(1_000, seed: 7)
      try before.write(to: file)
      let form = AFMultipartForm()
      form.appendPart(withForm: Data("v".utf8), name: "k")
      try form.appendPart(withFileURL: file, name: "f")
      try change(file)
      try check(form, before)
    }
  }
}
