import AFSupport
import AFTransport
import Foundation
import Testing

@testable import AFCore

/// Which request follows a redirect: RFC 9110 §15.4; F13, F15, B39, B40, B87.
@Suite struct RedirectTableTests {
  private static let statuses = [200, 201, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 399, 400]
  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "get", "post"]

  private func head(_ status: Int, _ location: String) -> ResponseHead {
    ResponseHead(bytes: Array("HTTP/1.1 \(status) Some\r\nLocation: \(location)\r\n".utf8))
  }

  private func request(_ method: String, body: Bool, url: String = "http://a/x") -> HopRequest {
    let fields = [
      "Content-Type", "content-length", "Content-MD5", "Content-Language", "Content-Digest", "Transfer-Encoding",
      "Digest", "Expect", "Last-Modified", "Accept", "X-Content", "If-None-Match",
    ]
    return HopRequest(
      url: url, method: method, headers: fields.map { TransferRequest.HeaderField($0, "1") },
      body: body ? .data(Data("b".utf8)) : .none)
  }

  @Test(arguments: statuses, methods)
  func `B39 F15 Method, body and the body's fields`(status: Int, method: String) {
    for hasBody in [false, true] {
      let next = Redirect.following(request(method, body: hasBody), head(status, "/y"))
      guard [301, 302, 303, 307, 308].contains(status) else {
        #expect(next == nil)
        continue
      }
      let becomesGet =
        status == 303 ? !["GET", "HEAD"].contains(method) : (status == 301 || status == 302) && method == "POST"
      #expect(next?.method == (becomesGet ? "GET" : method))
      #expect(next?.body.isEmpty == (becomesGet || !hasBody))
      #expect(
        next?.headers.map(\.name)
          == (becomesGet ? ["Accept", "X-Content", "If-None-Match"] : request(method, body: false).headers.map(\.name)))
      #expect(next?.url == "http://a/y")
      #expect(next?.keepsCredentials == true)
    }
  }

  private static let origins: [(from: String, to: String, isSame: Bool)] = [
    ("http://a/x", "/y", true), ("http://a/x", "y", true), ("http://a/x", "?q", true), ("http://a/x", "//a/y", true),
    ("http://a/x", "http://a/y", true), ("http://a/x", "http://A/y", true), ("http://A/x", "http://a/y", true),
    ("http://a/x", "http://a:80/y", true), ("http://a:80/x", "http://a/y", true), ("http://a/x", "HTTP://a/y", true),
    ("https://a/x", "https://a:443/y", true), ("https://a:443/x", "//a", true), ("http://a:8080/x", "/y", true),
    ("http://u:p@a/x", "/y", true), ("http://u:p@a/x", "http://v@a/y", true),
    ("http://[::1]/x", "http://[::1]:80/y", true),
    ("http://127.0.0.1/x", "http://127.1/y", true), ("http://a/x", "http:/y", true),
    ("http://a/x", "https://a/y", false), ("https://a/x", "http://a/y", false), ("http://a/x", "http://a:81/y", false),
    ("http://a:8080/x", "http://a/y", false), ("http://a:8080/x", "//a/y", false), ("http://a/x", "http://b/y", false),
    ("http://a/x", "http://b.a/y", false), ("http://b.a/x", "http://a/y", false), ("http://a/x", "http://a./y", false),
    ("http://a/x", "//b/y", false), ("http://a/x", #"\\b\y"#, false), ("http://a/x", "http://a@b/y", false),
    ("http://a/x", "http://a%2eb/y", false), ("http://a/x", #"http://b\@a/y"#, false),
    ("http://127.0.0.1/x", "http://localhost/y", false), ("http://[::1]/x", "http://[::2]/y", false),
    ("https://a:80/x", "http://a/y", false), ("http://a:443/x", "https://a/y", false),
  ]

  @Test(arguments: origins, [301, 302, 303, 307, 308])
  func `F13 B40 B87 What holds for one origin does not go to another`(
    row: (from: String, to: String, isSame: Bool), status: Int
  ) {
    let fields = [
      "Host", "Authorization", "Cookie", "Proxy-Authorization", "authorization", "COOKIE", "X-Keep", "Range",
    ]
    let request = HopRequest(
      url: row.from, method: "GET", headers: fields.map { TransferRequest.HeaderField($0, "1") })
    let next = Redirect.following(request, head(status, row.to))
    #expect(next?.headers.map(\.name) == (row.isSame ? fields : ["X-Keep", "Range"]))
    #expect(next?.keepsCredentials == row.isSame)
    // And back again: what was lost stays lost.
    guard !row.isSame, let next else { return }
    let back = Redirect.following(next, head(status, row.from))
    #expect(back?.headers.map(\.name) == ["X-Keep", "Range"])
    #expect(back?.keepsCredentials == false)
  }

  @Test(arguments: ["", " ", "mailto:a@b", "http://", "http://a b/", "//:80/", "https://h:99999/", "file:///x"])
  func `F17 A Location that leads nowhere makes the redirect the result`(location: String) {
    #expect(Redirect.following(request("GET", body: false), head(302, location)) == nil)
  }

  @Test func `F17 No Location makes the redirect the result`() {
    let head = ResponseHead(bytes: Array("HTTP/1.1 302 Found\r\nX: y\r\n".utf8))
    #expect(Redirect.following(request("GET", body: false), head) == nil)
  }

  @Test func `Two URLs without an origin have none in common`() {
    for url in ["", "x", "http://a b/", "ftp://a/", "http://", "http://a\\b/"] {
      #expect(!Origin.areSame(url, url), "\(url)")
    }
    #expect(Origin("http://u:p@A:80/x") == Origin(url: "http://a"))
    #expect(Origin(url: "http://u@a/") == nil)
  }
}
