@testable import AFCore
import AFSecurity
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// What the error for an untrusted server says of it.
@Suite struct TrustErrorTests {
  private let url = "https://host.example/path"

  private func trust() throws -> AFServerTrust {
    try AFServerTrust(derRepresentations: [TestAuthority.make().certificate])
  }

  private func keys(_ error: URLError) -> (trust: AFServerTrust?, url: URL?, text: String?) {
    (
      error.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] as? AFServerTrust,
      error.userInfo[NSURLErrorFailingURLErrorKey] as? URL, error.userInfo["NSErrorFailingURLStringKey"] as? String
    )
  }

  @Test func `AF-T189 With trust and URL it has both, and the URL as text`() throws {
    let trust = try trust()
    let error = URLError.serverUntrusted(host: "host.example", url: url, trust: trust, reason: nil)
    #expect(error.code == .serverCertificateUntrusted)
    #expect(error.localizedDescription.contains("host.example"))
    #expect(keys(error).trust === trust)
    #expect(keys(error).url == URL(string: url))
    #expect(keys(error).text == url)
  }

  @Test func `AF-T190 Without a trust it has the URL`() {
    let error = URLError.serverUntrusted(host: "host.example", url: url, trust: nil, reason: nil)
    #expect(error.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] == nil)
    #expect(keys(error).url == URL(string: url))
    #expect(keys(error).text == url)
  }

  @Test func `AF-T191 Without a URL it has the trust`() throws {
    let trust = try trust()
    let error = URLError.serverUntrusted(host: "host.example", url: nil, trust: trust, reason: nil)
    #expect(keys(error).trust === trust)
    #expect(error.userInfo[NSURLErrorFailingURLErrorKey] == nil)
    #expect(error.userInfo["NSErrorFailingURLStringKey"] == nil)
  }

  @Test func `AF-T192 Without either it is an error all the same`() {
    let error = URLError.serverUntrusted(host: "host.example", url: nil, trust: nil, reason: nil)
    #expect(error.code == .serverCertificateUntrusted)
    #expect(error.localizedDescription.contains("host.example"))
    let has = [NSURLErrorFailingURLPeerTrustErrorKey, NSURLErrorFailingURLErrorKey, "NSErrorFailingURLStringKey"]
    #expect(has.allSatisfy { error.userInfo[$0] == nil })
  }
}
