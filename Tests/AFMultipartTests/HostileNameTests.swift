import AFMultipart
import AFSupport
import Foundation
import Testing

/// F79: names, header fields and lengths that a body must not be made of.
@Suite(.offThePool) struct HostileNameTests {
  private func body(of part: AFMultipartPart) throws -> String {
    let form = AFMultipartForm(boundary: "b")
    form.append(part)
    let body = try drain(form.makeBodyStream().makeBodyReader())
    #expect(form.contentLength == Int64(body.count))
    return String(decoding: body, as: UTF8.self)
  }

  @Test(
    "F79 line breaks in a field's name are CRLF before they are escaped (WHATWG HTML, multipart/form-data encoding)",
    arguments: [
      ("a\rb", "a%0D%0Ab"), ("a\nb", "a%0D%0Ab"), ("a\r\nb", "a%0D%0Ab"), ("a\n\rb", "a%0D%0A%0D%0Ab"),
      ("\r", "%0D%0A"),
      ("\r\r", "%0D%0A%0D%0A"), ("\n\n", "%0D%0A%0D%0A"), ("a\"b", "a%22b"), ("a\u{0}b", "a%00b"), ("é", "é"), ("", ""),
      ("\r\n\r\n", "%0D%0A%0D%0A"), ("a%0Db", "a%0Db"),
    ])
  func names(_ name: String, _ sent: String) throws {
    #expect(
      try body(of: AFMultipartPart(name: name, content: .data(Data()))).contains("form-data; name=\"\(sent)\"\r\n\r\n"))
  }

  @Test(
    "F79 line breaks in a file's name stay as they are, escaped", arguments: [("a\rb", "a%0Db"), ("a\nb", "a%0Ab")])
  func fileNames(_ name: String, _ sent: String) throws {
    let part = AFMultipartPart(name: "f", fileName: name, content: .data(Data()))
    #expect(try body(of: part).contains("filename=\"\(sent)\"\r\n"))
  }

  @Test(
    "F79 a header name that is no token fails the body before its first byte, and names the part",
    arguments: ["", "a b", "a:b", "a\r\nX", "é", "a\"", "(a)", "a/b"])
  func headerNames(_ name: String) throws {
    let forms = [
      AFMultipartPart(name: "p", headers: [name: "x"], content: .data(Data("d".utf8))),
      AFMultipartPart(headers: [name: "x"], content: .data(Data("d".utf8))),
    ].map { part in
      let form = AFMultipartForm(boundary: "b")
      form.appendPart(withForm: Data("first".utf8), name: "first")
      form.append(part)
      return form
    }
    for form in forms {
      let reader = form.makeBodyStream().makeBodyReader()
      let error = #expect(throws: AFMultipartError.self) { try drain(reader) }
      #expect(error?.code == .invalidHeaderName)
      #expect(error?.partIndex == 1)
      #expect((error as NSError?)?.code == -1016)
    }
  }

  @Test("F79 a negative length fails the body with a typed error, whatever the content is made of")
  func negativeLengths() throws {
    let bytes = AsyncStream<UInt8> { $0.finish() }
    let chunks = AsyncStream<Data> { $0.finish() }
    let contents: [AFMultipartContent] = [
      .stream(InputStream(data: Data("abc".utf8)), length: -1), .stream(length: -1) { InputStream(data: Data()) },
      .stream(InputStream(data: Data("abc".utf8)), length: .min), .bytes(from: bytes, length: -1),
      .chunks(from: chunks, length: -5), .bytes(length: -1) { AsyncStream<UInt8> { $0.finish() } },
      .chunks(length: .min) { AsyncStream<Data> { $0.finish() } }, .pipe(FileHandle.nullDevice, length: -1),
    ]
    for content in contents {
      #expect(content.length == nil)
      let form = AFMultipartForm(boundary: "b")
      form.append(AFMultipartPart(name: "s", content: content))
      let error = #expect(throws: AFMultipartError.self) { try drain(form.makeBodyStream().makeBodyReader()) }
      #expect(error?.code == .outOfRange)
      #expect(error?.partName == "s")
    }
  }

  @Test("in AFNetworking's own method a negative length still means an unknown one")
  func unknownLength() throws {
    let form = AFMultipartForm(boundary: "b")
    form.appendPart(
      with: InputStream(data: Data("abc".utf8)), name: "s", fileName: "f", length: -1, mimeType: "a/b")
    #expect(form.contentLength == nil)
    #expect(String(decoding: try drain(form.makeBodyStream().makeBodyReader()), as: UTF8.self).contains("abc\r\n--b--"))
  }
}
