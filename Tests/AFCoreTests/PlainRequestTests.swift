import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// The short way to a request must lead to the same request as the long one.
@Suite struct PlainRequestTests {
  private static let paths = [
    "json", "users/42", "a/b/c/", "search?q=a.b&page=2", "~name/-_", "?q=1", "/root", "a//b", "../up", "./here",
    "a/../b",
    ".hidden", "file.txt", "http://other.example/x", "a:b", "with space", "ü", "q?a=1?2", "x#fragment", "%41", "a;b",
    "",
  ]

  @Test(
    "A path that is appended gives the URL that resolving gives",
    arguments: [
      "http://example.org/", "https://example.org/api/v1", "https://example.org:8443/a%20b/", "http://[::1]:80/x/",
      "http://example.org", "http://example.org/p/?fixed=1", "http://user:pass@example.org/",
    ])
  func url(base: String) throws {
    let core = HTTPManagerCore(baseURL: URL(string: base))
    for path in Self.paths {
      if let plain = core.plainURL(path) { #expect(plain == core.url(path), "\(base) and \(path)") }
    }
  }

  @Test("Plain paths take the short way, others the long one")
  func taken() throws {
    let core = HTTPManagerCore(baseURL: URL(string: "https://example.org/api"))
    #expect(core.plainURL("users/42") == "https://example.org/api/users/42")
    #expect(core.plainURL("a/file.json") == "https://example.org/api/a/file.json")
    for path in ["/root", "../up", "a//b", "http://other.example/x", "with space", "ü", "", "x#y", "%41"] {
      #expect(core.plainURL(path) == nil, "\(path)")
    }
    #expect(HTTPManagerCore(baseURL: nil).plainURL("users") == nil)
  }

  @Test("The short way's request has the method, headers and options of the long one's")
  func request() throws {
    let manager = AFHTTPSessionManager(baseURL: URL(string: "https://example.org/api/"))
    defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    manager.requestSerializer.setValue("yes", forHTTPHeaderField: "X-Test")
    manager.requestSerializer.timeoutInterval = 7
    manager.requestSerializer.httpShouldHandleCookies = false
    manager.requestSerializer.cachePolicy = .reloadIgnoringLocalCacheData
    let headers = ["x-test": "no", "Accept": "application/json"]
    let short = try manager.hopRequest("GET", "users/42", nil, headers)
    let long = HopRequest(try manager.urlRequest("GET", "users/42", nil, headers))
    #expect(short.foundation == nil && long.foundation != nil)
    #expect(short.url == long.url && short.method == long.method)
    #expect(short.timeout == long.timeout && short.handlesCookies == long.handlesCookies)
    #expect(short.cachePolicy == long.cachePolicy)
    let made = try #require(short.urlRequest)
    func folded(_ request: URLRequest?) -> [String: String] {
      Dictionary(uniqueKeysWithValues: (request?.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) })
    }
    #expect(folded(made) == folded(long.urlRequest))
    #expect(made.value(forHTTPHeaderField: "X-Test") == "no" && made.timeoutInterval == 7)
  }

  @Test("Whatever only a URLRequest can carry, and every subclass, goes the long way")
  func notPlain() throws {
    final class Custom: AFHTTPRequestSerializer, @unchecked Sendable {
      // Unchecked because its superclass is; it stores nothing.
    }
    #expect(AFHTTPRequestSerializer().plainParts(withMethod: "GET") != nil)
    #expect(AFJSONRequestSerializer().plainParts(withMethod: "DELETE") != nil)
    #expect(AFHTTPRequestSerializer().plainParts(withMethod: "POST") == nil)
    #expect(Custom().plainParts(withMethod: "GET") == nil)
    let cellular = AFHTTPRequestSerializer()
    cellular.allowsCellularAccess = false
    #expect(cellular.plainParts(withMethod: "GET") == nil)
    let broken = AFHTTPRequestSerializer()
    broken.setValue("a\r\nb", forHTTPHeaderField: "X-Broken")
    #expect(broken.plainParts(withMethod: "GET") == nil)
  }
}
