import AFSupport
import AFTestSupport
import CCurl
import Foundation
import Testing

@testable import AFTransport

/// A system whose libcurl is not what the package needs.
@Suite struct LibcurlCapabilitiesTests {
  private static let all =
    CURL_VERSION_HTTP2 | CURL_VERSION_ASYNCHDNS | CURL_VERSION_LARGEFILE | CURL_VERSION_THREADSAFE

  private static func libcurl(_ version: UInt32, _ tls: String = "OpenSSL/3.0.17", without missing: Int32 = 0)
    -> LibcurlCapabilities
  {
    LibcurlCapabilities(version: version, tlsLibrary: tls, features: all & ~missing)
  }

  private static let rows: [(libcurl: LibcurlCapabilities, problem: String?)] = [
    (libcurl(0x07_58_01), nil), (libcurl(0x07_58_00), nil), (libcurl(0x08_0E_01, "OpenSSL/3.5.4"), nil),
    (libcurl(0x09_00_00), nil),
    (libcurl(0x07_57_00), "libcurl 7.87.0 is older than 7.88"),
    (libcurl(0x07_4A_00), "libcurl 7.74.0 is older than 7.88"),
    (libcurl(0x08_0E_01, "GnuTLS/3.8.9"), "libcurl 8.14.1 has its TLS from GnuTLS/3.8.9, not from OpenSSL"),
    (libcurl(0x08_0E_01, "LibreSSL/4.0"), "libcurl 8.14.1 has its TLS from LibreSSL/4.0, not from OpenSSL"),
    (libcurl(0x08_0E_01, ""), "libcurl 8.14.1 has no TLS"),
    (libcurl(0x08_0E_01, without: CURL_VERSION_HTTP2), "libcurl 8.14.1 is built without HTTP/2"),
    (
      libcurl(0x08_0E_01, without: CURL_VERSION_THREADSAFE),
      "libcurl 8.14.1 is built without thread-safe initialization"
    ),
    (
      libcurl(0x07_40_00, without: CURL_VERSION_HTTP2 | CURL_VERSION_LARGEFILE),
      "libcurl 7.64.0 is older than 7.88, is built without HTTP/2, is built without large files"
    ),
  ]

  @Test(arguments: rows) func `what is wrong with a libcurl is said with its version`(
    libcurl: LibcurlCapabilities, problem: String?
  ) {
    #expect(libcurl.problem == problem)
  }

  @Test func `this system's libcurl has what is needed`() {
    #expect(LibcurlCapabilities.current.problem == nil)
  }

  @Test func `an unsuitable libcurl is a typed error at the first request and at every other, and nothing is sent`()
    async throws
  {
    try await withTestServer(handler: { _ in .text("x") }) { server in
      var configuration = EngineConfiguration()
      configuration.libcurl = { Self.libcurl(0x07_57_00) }
      let engine = Engine(configuration: configuration)
      for _ in 0..<3 {
        let failure = await engine.run(.get(server.url())).failure
        #expect(failure?.kind == .unsuitableLibrary)
        #expect(failure?.message == "libcurl 7.87.0 is older than 7.88")
      }
      #expect(server.acceptCount == 0)
    }
  }
}
