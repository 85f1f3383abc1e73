import Testing

@testable import AFTransport

@Suite struct ResponseHeadTests {
  private func head(_ text: String) -> ResponseHead { ResponseHead(bytes: Array(text.utf8)) }

  @Test func `B14: tight lines, empty values, tabs, no reason phrase`() {
    let head = head("HTTP/1.1 200\r\nContent-Length:13\r\nContent-Type:text/plain\r\nX-Empty:\r\nX-Tab:\tv\t\r\n")
    #expect(head.statusCode == 200)
    #expect(head.reasonPhrase == "")
    #expect(head.contentLength == 13)
    #expect(head.value("content-type") == "text/plain")
    #expect(head.value("X-EMPTY") == "")
    #expect(head.value("x-tab") == "v")
    #expect(head.value("X") == nil)
  }

  @Test func `several lines of one name stay apart, in order`() {
    let head = head("HTTP/2 302 \r\nset-cookie: a=1, b\r\nlocation: /x\r\nSet-Cookie: c=2\r\n")
    #expect(head.httpVersion == "HTTP/2")
    #expect(head.values("Set-Cookie") == ["a=1, b", "c=2"])
    #expect(head.fields.map(\.name) == ["set-cookie", "location", "Set-Cookie"])
  }

  @Test func `one of several fields is found in any letter case, and by its whole name only`() {
    let head = head("HTTP/1.1 200 ETag:\r\nX-ETag: 1\r\nEtags: 2\r\nX: ETag: 3\r\nlast-modified:\r\n")
    #expect(head.hasField(in: ["ETag", "LAST-Modified"]))
    #expect(!head.hasField(in: ["ETag", "Last"]))
    #expect(!head.hasField(in: []))
    #expect(!ResponseHead(bytes: Array("ETag".utf8)).hasField(in: ["ETag"]))
  }

  @Test func `a value that is not UTF-8 is read as ISO-8859-1`() {
    let head = ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\nX: caf".utf8) + [0xE9, 0x0D, 0x0A])
    #expect(head.value("x") == "caf\u{E9}")
  }

  @Test(arguments: ["", "HTTP/1.1", "HTTP/1.1 abc X", "garbage\r\nno colon\r\n: empty\r\n", "HTTP/1.1 200 OK"])
  func `damaged heads do no harm`(text: String) {
    let head = head(text)
    #expect(head.statusCode == 0 || head.statusCode == 200)
    #expect(head.fields.isEmpty)
    #expect(head.contentLength == nil)
  }

  @Test func `names that differ in more than letter case are different`() {
    #expect(head("HTTP/1.1 200 OK\r\n[x: 1\r\n").value("{x") == nil)
  }
}
