import COpenSSL
import Foundation

/// The chain that a TLS peer showed, kept in the TLS session itself, so that a resumed session can be judged by it.
///
/// A resumed handshake shows no certificate. libcurl 8.12 and later keep sessions as bytes, and OpenSSL writes the leaf alone
/// into them (pitfall 45). What is attached to a session as application data is part of those bytes, and of every session that
/// is made of this one. It stays in this process: no peer sees it.
enum SessionChain {
  /// Attaches the chain to the session that is being made; false if there is no memory for it.
  static func keep(_ chain: [Data], in ssl: OpaquePointer) -> Bool {
    guard let session = SSL_get_session(ssl) else { return false }
    return encode(chain).withUnsafeBytes {
      SSL_SESSION_set1_ticket_appdata(session, $0.baseAddress, $0.count) == 1
    }
  }

  /// The chain that came with the resumed session; nil if there is none, or if its leaf is not the session's peer.
  static func kept(in ssl: OpaquePointer) -> [Data]? {
    var start: UnsafeMutableRawPointer?
    var count = 0
    guard let session = SSL_get_session(ssl), SSL_SESSION_get0_ticket_appdata(session, &start, &count) == 1, let start,
      let chain = decode(UnsafeRawBufferPointer(start: start, count: count)), let leaf = SSL_SESSION_get0_peer(session)
    else { return nil }
    var bytes: UnsafeMutablePointer<UInt8>?
    let size = i2d_X509(leaf, &bytes)
    defer { af_OPENSSL_free(bytes) }
    guard size > 0, let bytes, chain.first == Data(bytes: bytes, count: Int(size)) else { return nil }
    return chain
  }

  /// Each certificate behind its length in four bytes, the highest first.
  static func encode(_ chain: [Data]) -> Data {
    var bytes = Data(capacity: chain.reduce(0) { $0 + 4 + $1.count })
    for certificate in chain {
      withUnsafeBytes(of: UInt32(clamping: certificate.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(certificate)
    }
    return bytes
  }

  /// The certificates; nil if the bytes are not such a list to their very end, or an empty one.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [Data]? {
    var rest = bytes[...]
    var chain: [Data] = []
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard count > 0, count <= rest.count else { return nil }
      chain.append(Data(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return chain.isEmpty ? nil : chain
  }
}
