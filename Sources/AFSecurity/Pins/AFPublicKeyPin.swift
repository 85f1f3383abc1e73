import COpenSSL
public import Foundation

/// The SHA-256 of a public key (its SubjectPublicKeyInfo, RFC 7469 §2.4).
///
/// A pin outlives the certificate: a renewed certificate with the same key has the same pin.
public struct AFPublicKeyPin: Sendable, Hashable {
  /// The 32 octets of the hash.
  public let sha256: Data

  /// A pin from the 32 octets of the hash.
  ///
  /// - Throws: `AFSecurityError` with code `invalidPin` for any other length.
  public init(sha256: Data) throws(AFSecurityError) {
    guard sha256.count == 32 else {
      throw AFSecurityError(.invalidPin, "a SHA-256 pin has 32 octets, this one has \(sha256.count)")
    }
    self.sha256 = Data(sha256)
  }

  /// A pin from its text form: `sha256/BASE64`, `sha256//BASE64` (curl), `pin-sha256="BASE64"` (RFC 7469), or 64 hexadecimal
  /// digits with or without colons.
  ///
  /// - Throws: `AFSecurityError` with code `invalidPin`, naming what is wrong with the text.
  public init(_ text: String) throws(AFSecurityError) {
    if let octets = Self.hexOctets(text) {
      try self.init(sha256: octets)
      return
    }
    guard let base64 = Self.base64Part(of: text) else {
      let shown = text.count > 80 ? text.prefix(80) + "…" : text[...]
      throw AFSecurityError(.invalidPin, "'\(shown)' is neither sha256/BASE64 nor 64 hexadecimal digits")
    }
    guard let octets = Data(base64Encoded: String(base64)) else {
      throw AFSecurityError(.invalidPin, "'\(text.prefix(80))' is not base64 after its prefix")
    }
    try self.init(sha256: octets)
  }

  /// The pin of a key given as DER encoded SubjectPublicKeyInfo.
  init(publicKeyInfo: Data) {
    self.init(digest: Self.digest(publicKeyInfo: publicKeyInfo))
  }

  /// A pin from what ``digest(publicKeyInfo:)`` gave.
  init(digest: [UInt8]) {
    sha256 = Data(digest)
  }

  static func digest(publicKeyInfo: Data) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = publicKeyInfo.withUnsafeBytes { SHA256($0.bindMemory(to: UInt8.self).baseAddress, $0.count, &digest) }
    return digest
  }

  /// The pin of a public key in PEM form (`-----BEGIN PUBLIC KEY-----`), as `openssl pkey -pubout` writes it.
  ///
  /// - Throws: `AFSecurityError` with code `invalidPin` when there is no such key in the text.
  public init(publicKeyPEM: String) throws(AFSecurityError) {
    let blocks = try CertificateText.pemBlocks(in: Data(publicKeyPEM.utf8))
    guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" }), Self.isPublicKey(block.contents) else {
      throw AFSecurityError(.invalidPin, "the text holds no PEM block with a readable public key")
    }
    self.init(publicKeyInfo: block.contents)
  }

  private static func isPublicKey(_ der: Data) -> Bool {
    af_OPENSSL_outlive_threads()
    return der.withUnsafeBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      let key = d2i_PUBKEY(nil, &position, bytes.count)
      defer { EVP_PKEY_free(key) }
      ERR_clear_error()
      return key != nil
    }
  }

  private static func base64Part(of text: String) -> Substring? {
    if text.hasPrefix("sha256/") {
      // base64 may begin with a slash itself. A digest's has 44 characters, so the length tells whose slash the second is.
      let rest = text.dropFirst("sha256/".count)
      return rest.hasPrefix("/") && rest.utf8.count != 44 ? rest.dropFirst() : rest
    }
    guard text.hasPrefix("pin-sha256=\""), text.hasSuffix("\"") else { return nil }
    return text.dropFirst("pin-sha256=\"".count).dropLast()
  }

  private static func hexOctets(_ text: String) -> Data? {
    let digits = text.filter { $0 != ":" }.map { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == 64 else { return nil }
    var octets = Data(capacity: 32)
    for index in stride(from: 0, to: 64, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      octets.append(UInt8(high << 4 | low))
    }
    return octets
  }
}

extension AFPublicKeyPin: CustomStringConvertible {
  /// `sha256/BASE64`, the form that most tools exchange.
  public var description: String { "sha256/" + sha256.base64EncodedString() }

  /// `sha256//BASE64`, the form of curl's `--pinnedpubkey`.
  public var curlDescription: String { "sha256//" + sha256.base64EncodedString() }

  /// 64 lower case hexadecimal digits.
  public var hexDescription: String { sha256.map { String(format: "%02x", $0) }.joined() }
}
