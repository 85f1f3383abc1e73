import CCurl

/// What tests expect of the system's libcurl where that depends on its version. All such expectations stand here; the numbers are
/// those of the table in `docs/libcurl.md`.
package enum Libcurl {
  private static let version = af_curl_version_info().pointee.version_num
  private static let isDebian13sOrNewer = version >= 0x08_0E_00

  /// 5: so a large body does not go over HTTP/2.
  package static let spinsOnFullWindow = version < 0x08_00_00
  /// 35: a head that does not fit in the receive buffer times out.
  package static let waitsForLargeHeads = !isDebian13sOrNewer
  /// 36: a broken connection may look like the end of a body of unknown length.
  package static let takesBreachForEnd = !isDebian13sOrNewer
  /// 37: a trailer of HTTP/2 has the limit of one of HTTP/1.1.
  package static let limitsHTTP2Trailers = isDebian13sOrNewer
  /// 58: an answer before a reset without an error is lost.
  package static let losesAnswerBeforeReset = !isDebian13sOrNewer
  /// nghttp2 closes the connection when it would have to answer more than a thousand PINGs at once.
  package static let endsFloodOfPings = isDebian13sOrNewer
}
