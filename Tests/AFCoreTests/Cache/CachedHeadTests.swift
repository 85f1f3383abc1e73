import AFTransport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

private let noon: Double = 1_000_000_000

private func head(_ status: Int = 200, _ fields: [String]) -> ResponseHead {
  ResponseHead(bytes: Array("HTTP/1.1 \(status) OK\r\n\(fields.map { $0 + "\r\n" }.joined())".utf8))
}

private func date(_ offset: Double) -> String { HTTPDate.text(noon + offset) }

@Suite struct CacheNonsenseTests {
  /// The same numbers in every run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64 = 42

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test func `Nonsense in a response's fields does no harm, and never makes it fresh for longer than it may be`() {
    let words = [
      "max-age", "=", "\"", "\\", ",", " ", "0", "9", "99999999999999999999", "-", "no-store", "public",
      "stale-if-error", "Sun",
      "Nov", "1994", "94", ":", "08:49:37", "GMT", "W/", "*", "\u{0}", "é", "e5", ".", "nan", "inf",
    ]
    let names = ["Cache-Control", "Expires", "Date", "Age", "Last-Modified", "Vary", "ETag", "Pragma", "Connection"]
    var numbers = Numbers()
    for _ in 0..<5000 {
      let fields = names.shuffled(using: &numbers).prefix(5).map { name in
        "\(name): "
          + (0..<Int.random(in: 0...6, using: &numbers)).compactMap { _ in words.randomElement(using: &numbers) }
          .joined()
      }
      let kept = head(200, fields).kept(received: noon).refreshed(by: head(304, fields))
      let rules = CacheRules(kept, requested: noon, received: noon)
      #expect(rules.lifetime >= 0 && rules.lifetime < 1e12)
      if let age = rules.age(at: noon + 10) { #expect(age >= 10) }
      _ = (
        rules.isStorable, rules.isUsable(at: noon, for: rules.control),
        rules.isUsable(afterErrorAt: noon, for: rules.control)
      )
    }
  }
}

@Suite struct CachedHeadTests {
  @Test func `RFC 9111 §3.1: what concerns a connection is not kept, and a Date is`() {
    let kept = head(
      200, ["Connection: close, X-Hop", "X-Hop: 1", "Transfer-Encoding: chunked", "Set-Cookie: a", "Set-Cookie: b"]
    ).kept(received: noon)
    #expect(kept.fields.map(\.name) == ["Set-Cookie", "Set-Cookie", "Date"])
    #expect(kept.value("Date") == date(0))
    #expect(head(200, ["Date: x"]).kept(received: noon).values("Date") == ["x"])
  }

  @Test func `RFC 9111 §3.2: a 304 replaces fields, and none that describe the body`() {
    let old = head(203, ["ETag: \"a\"", "X: 1", "X: 2", "Age: 7", "Content-Type: a/b", "Content-Length: 5", "Y: old"])
    let new = old.refreshed(
      by: head(304, ["x: 3", "Content-Type: c/d", "content-length: 0", "Content-Encoding: gzip", "Z: new"]))
    #expect(new.statusCode == 203)
    #expect(new.values("X") == ["3"])
    #expect(new.value("Content-Type") == "a/b")
    #expect(new.value("Content-Length") == "5")
    #expect(new.value("Content-Encoding") == nil)
    #expect(new.value("Age") == nil, "it was the age of the old response")
    #expect(new.value("Y") == "old")
    #expect(new.value("Z") == "new")
  }

  @Test func `A head is made of Foundation's response`() throws {
    let url = try #require(URL(string: "http://a/"))
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: ["Content-Type": "a/b"]))
    #expect(ResponseHead(response).statusCode == 404)
    #expect(ResponseHead(response).value("content-type") == "a/b")
    let plain = URLResponse(url: url, mimeType: "c/d", expectedContentLength: 1, textEncodingName: nil)
    #expect(ResponseHead(plain).statusCode == 200)
    #expect(ResponseHead(plain).value("Content-Type") == "c/d")
  }
}
