import CCurl
import COpenSSL

/// What the libcurl that this process runs with can do. Every difference between versions is decided here and nowhere else;
/// the numbers are those of the table in `docs/libcurl.md`.
///
/// Where it is not known in which version something changed, the border is Debian 13's: 7.88.1 was looked at, and 8.14.1.
struct LibcurlCapabilities: Sendable {
  /// 0xXXYYZZ, as in `LIBCURL_VERSION_NUM`.
  let version: UInt32
  /// Such as `OpenSSL/3.5.4`.
  let tlsLibrary: String
  /// The bits of `CURL_VERSION_…`.
  let features: Int32

  /// Pitfall 5: before 8.0 an HTTP/2 upload spins once the peer's window is full. Bodies above this many bytes, or of
  /// unknown length, go over HTTP/1.1; nil: no limit.
  var largestHTTP2Upload: Int64? { version < 0x08_00_00 ? 64 << 10 : nil }

  /// Pitfall 34: a request that a GOAWAY left untouched fails, instead of being repeated.
  var forgetsUntouchedRequests: Bool { version < 0x08_0E_00 }

  /// Pitfall 46: before 8.21 the question mark of an empty query is left out: to proxies always, to servers from 8.8 on.
  var dropsEmptyQuery: Bool { version < 0x08_15_00 }

  /// Pitfall 47: a proxy that speaks TLS, asks for credentials and hangs up is not called again.
  var forgetsProxyThatHangsUp: Bool { version >= 0x08_00_00 }

  /// Pitfall 60: before 8.1.2 a handle that has served keeps a pointer to the last header field, which has been freed. A head that
  /// begins with a folded line makes libcurl follow it.
  var keepsFreedFields: Bool { version < 0x08_01_02 }

  /// What the package needs and this libcurl lacks, as a sentence that names its version; nil if it lacks nothing.
  var problem: String? {
    var faults: [String] = []
    if version < 0x07_58_00 { faults.append("is older than 7.88") }
    if !tlsLibrary.hasPrefix("OpenSSL/") {
      faults.append(tlsLibrary.isEmpty ? "has no TLS" : "has its TLS from \(tlsLibrary), not from OpenSSL")
    }
    for (bit, name) in Self.neededFeatures where features & bit == 0 { faults.append("is built without \(name)") }
    return faults.isEmpty ? nil : "libcurl \(versionText) \(faults.joined(separator: ", "))"
  }

  private var versionText: String { "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)" }

  private static let neededFeatures: [(bit: Int32, name: String)] = [
    (Int32(CURL_VERSION_HTTP2), "HTTP/2"),
    // Without it a name look-up would stop every transfer of the engine.
    (Int32(CURL_VERSION_ASYNCHDNS), "name look-ups of their own thread"),
    (Int32(CURL_VERSION_LARGEFILE), "large files"),
    (Int32(CURL_VERSION_THREADSAFE), "thread-safe initialization"),
  ]

  /// Read once. `curl_global_init` is safe to race since 7.84 (feature "threadsafe"), and is never undone (pitfall 29).
  static let current: LibcurlCapabilities = {
    // Before libcurl, whose threads may be in a handshake when the program ends.
    af_OPENSSL_outlive_threads()
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    let info = af_curl_version_info().pointee
    return LibcurlCapabilities(
      version: info.version_num, tlsLibrary: info.ssl_version.map { String(cString: $0) } ?? "",
      features: info.features)
  }()
}
