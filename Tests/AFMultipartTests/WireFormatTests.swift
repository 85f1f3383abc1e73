import AFMultipart
import AFSupport
import Foundation
import Testing

/// The bytes on the wire.
@Suite(.offThePool) struct WireFormatTests {
  static let boundary = "Boundary+0123456789ABCDEF"

  @Test("AF-X017: one field is 113 bytes, exactly these")
  func oneField() throws {
    let form = AFMultipartForm(boundary: Self.boundary)
    form.appendPart(withForm: Data("value".utf8), name: "key")
    let expected =
      "--Boundary+0123456789ABCDEF\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nvalue"
      + "\r\n--Boundary+0123456789ABCDEF--\r\n"
    #expect(try drain(form.makeBodyStream().makeBodyReader()) == Data(expected.utf8))
    #expect(form.contentLength == 113)
    #expect(form.contentType == "multipart/form-data; boundary=Boundary+0123456789ABCDEF")
  }

  @Test("AF-X017: a field and a file are 237 bytes, exactly these")
  func fieldAndFile() throws {
    let form = AFMultipartForm(boundary: Self.boundary)
    form.appendPart(withForm: Data("value".utf8), name: "key")
    form.appendPart(withFileData: Data("hello".utf8), name: "f", fileName: "a.txt", mimeType: "text/plain")
    let expected =
      "--Boundary+0123456789ABCDEF\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nvalue"
      + "\r\n--Boundary+0123456789ABCDEF\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n"
      + "Content-Type: text/plain\r\n\r\nhello\r\n--Boundary+0123456789ABCDEF--\r\n"
    #expect(try drain(form.makeBodyStream().makeBodyReader()) == Data(expected.utf8))
    #expect(try drain(form.makeBodyStream()) == Data(expected.utf8))
    #expect(form.contentLength == 237)
  }

  @Test("AF-X017: two forms have two random boundaries of the form Boundary+ and 16 hexadecimal digits")
  func randomBoundaries() {
    let texts = Set((0..<64).map { _ in AFMultipartForm().boundaryText })
    #expect(texts.count == 64)
    #expect(texts.allSatisfy { $0.wholeMatch(of: /Boundary\+[0-9A-F]{16}/) != nil })
  }

  @Test("AF-X018: a form without parts is the closing delimiter, with its true length")
  func noParts() throws {
    let form = AFMultipartForm(boundary: Self.boundary)
    let body = try drain(form.makeBodyStream())
    #expect(body == Data("--Boundary+0123456789ABCDEF--\r\n".utf8))
    #expect(form.contentLength == Int64(body.count))
    #expect(form.isEmpty)
  }

  @Test("AF-X018, AF-X019: every read size gives the same bytes, as many as Content-Length says")
  func everyReadSize() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("データ.bin")
      try patternedData(3001).write(to: file)
      let empty = directory.appendingPathComponent("empty")
      try Data().write(to: empty)
      let form = AFMultipartForm(boundary: Self.boundary)
      form.appendPart(withForm: Data(), name: "nothing")
      form.appendPart(withForm: Data("Grüße, 世界".utf8), name: "naïve 名前")
      try form.appendPart(withFileURL: file, name: "file")
      try form.appendPart(withFileURL: empty, name: "empty")
      form.append(
        AFMultipartPart(name: "s", content: .stream(length: 777) { InputStream(data: patternedData(777)) }))
      form.appendPart(withHeaders: nil, body: Data("bare".utf8))
      let whole = try drain(form.makeBodyStream().makeBodyReader(), readSize: 1 << 20)
      #expect(form.contentLength == Int64(whole.count))
      for readSize in 1...64 {
        #expect(try drain(form.makeBodyStream().makeBodyReader(), readSize: readSize) == whole, "\(readSize)")
        #expect(try drain(form.makeBodyStream(), readSize: readSize) == whole, "\(readSize), as a stream")
      }
    }
  }

  @Test("B01: a double quote in a name or file name is written %22")
  func quotes() throws {
    let form = AFMultipartForm()
    form.appendPart(withFileData: Data(), name: "a\"b", fileName: "he said \"hi\".pdf", mimeType: "application/pdf")
    let lines = try headerLines(of: form)
    #expect(
      lines.first == "Content-Disposition: form-data; name=\"a%22b\"; filename=\"he said %22hi%22.pdf\"")
    #expect(lines.count == 2)
  }

  @Test(
    "B02, AF-X023: CR, LF and NUL in a name or file name add no header",
    arguments: ["\r\nContent-Type: text/x-injected\r\n\r\nSMUGGLED", "\nContent-Type: text/x-injected", "\rX", "\0X"])
  func lineBreaks(hostile: String) throws {
    let form = AFMultipartForm()
    form.appendPart(withFileData: Data("x".utf8), name: "n" + hostile, fileName: "evil" + hostile, mimeType: "a/b")
    let body = try drain(form.makeBodyStream())
    let lines = try headerLines(of: form)
    #expect(lines.count == 2)
    #expect(lines.last == "Content-Type: a/b")
    #expect(!body.contains(0))
    #expect(!String(decoding: body, as: UTF8.self).contains("\nContent-Type: text/x-injected"))
    #expect(!String(decoding: body, as: UTF8.self).contains("\rContent-Type: text/x-injected"))
  }

  @Test("B02: a MIME type or header of the caller cannot break out of its line either")
  func hostileHeaders() throws {
    let form = AFMultipartForm()
    form.appendPart(withFileData: Data(), name: "n", fileName: "f", mimeType: "a/b\r\nX-Injected: 1")
    #expect(try headerLines(of: form).last == "Content-Type: a/b%0D%0AX-Injected: 1")
    let other = AFMultipartForm()
    other.appendPart(withHeaders: ["X-A": "1\r\n\r\nSMUGGLED"], body: Data())
    #expect(try headerLines(of: other) == ["X-A: 1%0D%0A%0D%0ASMUGGLED"])
  }

  @Test(
    "B03: a name outside ASCII goes out as raw UTF-8, without filename* or encoded words",
    arguments: ["お疲れ様です.mp4", "X©onstants.ts", "🦊 e\u{301}.png"])
  func nonASCII(name: String) throws {
    let form = AFMultipartForm()
    form.appendPart(withFileData: Data(), name: name, fileName: name, mimeType: "video/mp4")
    let body = try drain(form.makeBodyStream())
    let expected = Data("name=\"".utf8) + Data(name.utf8) + Data("\"; filename=\"".utf8) + Data(name.utf8)
    #expect(body.range(of: expected + Data("\"\r\n".utf8)) != nil)
    let text = String(decoding: body, as: UTF8.self)
    #expect(!text.contains("filename*"))
    #expect(!text.contains("=?"))
  }

  @Test("Headers of the caller: disposition first, type next, the others by name")
  func headerOrder() throws {
    let form = AFMultipartForm()
    form.appendPart(
      withHeaders: ["X-B": "2", "Content-Type": "t/t", "X-A": "1", "content-disposition": "d"], body: Data())
    #expect(try headerLines(of: form) == ["content-disposition: d", "Content-Type: t/t", "X-A: 1", "X-B: 2"])
    let other = AFMultipartForm()
    other.append(
      AFMultipartPart(name: "n", mimeType: "t/t", headers: ["Z": "1", "A": "2"], content: .data(Data())))
    #expect(
      try headerLines(of: other)
        == ["Content-Disposition: form-data; name=\"n\"", "Content-Type: t/t", "Z: 1", "A: 2"])
  }

  @Test("10,000 parts arrive whole, with their true length")
  func manyParts() throws {
    let form = AFMultipartForm(boundary: Self.boundary)
    var expected = ""
    for index in 0..<10_000 {
      form.appendPart(withForm: Data("\(index)".utf8), name: "n\(index)")
      expected += (index == 0 ? "" : "\r\n") + "--\(Self.boundary)\r\n"
      expected += "Content-Disposition: form-data; name=\"n\(index)\"\r\n\r\n\(index)"
    }
    expected += "\r\n--\(Self.boundary)--\r\n"
    #expect(form.contentLength == Int64(expected.utf8.count))
    #expect(try drain(form.makeBodyStream(), readSize: 4096) == Data(expected.utf8))
  }

  /// The header lines of the only part.
  private func headerLines(of form: AFMultipartForm) throws -> [String] {
    let text = String(decoding: try drain(form.makeBodyStream()), as: UTF8.self)
    let start = try #require(text.range(of: "--\(form.boundaryText)\r\n")).upperBound
    let end = try #require(text.range(of: "\r\n\r\n", range: start..<text.endIndex)).lowerBound
    return text[start..<end].components(separatedBy: "\r\n")
  }
}
