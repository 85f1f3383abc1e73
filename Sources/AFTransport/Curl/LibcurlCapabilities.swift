import CCurl
import COpenSSL

/// What the libcurl that this process runs with can do. Every difference between versions is decided here and nowhere else;
/// the numbers are those of the table in `docs/libcurl.md`.
struct LibcurlCapabilities: Sendable {
  /// 0xXXYYZZ, as in `LIBCURL_VERSION_NUM`.
  let version: UInt32
  let supportsHTTP2: Bool

  /// Pitfall 5: before 8.0 an HTTP/2 upload spins once the peer's window is full. Bodies above this many bytes, or of
  /// unknown length, go over HTTP/1.1; nil: no limit.
  var largestHTTP2Upload: Int64? { version < 0x08_00_00 ? 64 << 10 : nil }

  /// Read once. `curl_global_init` is safe to race since 7.84 (feature "threadsafe"), and is never undone (pitfall 29).
  static let current: LibcurlCapabilities = {
    // Before libcurl, whose threads may be in a handshake when the program ends.
    af_OPENSSL_outlive_threads()
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    let info = af_curl_version_info().pointee
    return LibcurlCapabilities(
      version: info.version_num, supportsHTTP2: info.features & Int32(CURL_VERSION_HTTP2) != 0)
  }()
}
