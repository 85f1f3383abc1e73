import COpenSSL
import Foundation

/// The key and the certificates of a PKCS#12 file (RFC 7292).
///
/// Keychains and Windows still encrypt with RC2 and other ciphers that OpenSSL 3 keeps in its legacy provider. Files are opened in a
/// library context of their own that has it; the process's default providers stay as they are.
struct PKCS12Contents {
  let key: AFClientIdentity.Key
  /// The key's own certificate first.
  let certificates: [AFCertificate]

  init(
    _ data: Data, passphrase: String, library: PKCS12Library = .withLegacyCiphers
  ) throws(AFSecurityError) {
    defer { ERR_clear_error() }
    guard data.count <= CertificateText.maximumFileSize else {
      throw AFSecurityError(.invalidKey, "the PKCS#12 file is larger than \(CertificateText.maximumFileSize >> 20) MiB")
    }
    guard let decoded = Self.decode(data, library) else {
      throw AFSecurityError(.invalidKey, "\(data.count) bytes are not a PKCS#12 file")
    }
    defer { PKCS12_free(decoded) }
    var effort = PKCS12Effort()
    let password = try Self.password(decoded, passphrase, &effort)
    var safes = PKCS12Safes(library: library, password: password, effort: effort)
    try safes.read(decoded)
    // The certificate of a key is the one that belongs to it; the file's own identifiers for that are not always there.
    for key in safes.keys {
      guard
        let index = safes.certificates.firstIndex(where: {
          X509_check_private_key($0.handle.pointer, key.pointer) == 1
        })
      else { continue }
      let own = safes.certificates.remove(at: index)
      self.key = key
      certificates = [own] + safes.certificates
      return
    }
    throw AFSecurityError(
      .invalidKey,
      "the PKCS#12 file holds \(safes.keys.count) private keys and \(safes.certificates.count) certificates, "
        + "and no key with its certificate")
  }

  private static func decode(_ data: Data, _ library: PKCS12Library) -> OpaquePointer? {
    var file = PKCS12_init_ex(NID_pkcs7_data, library.context, nil)
    guard file != nil else { return nil }
    return data.withUnsafeBytes { bytes -> OpaquePointer? in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      // On failure the file is freed as well.
      return d2i_PKCS12(&file, &position, bytes.count)
    }
  }

  /// The passphrase in the form that fits, told by the file's checksum if it has one. An empty one may stand for none at all.
  private static func password(
    _ file: OpaquePointer, _ passphrase: String, _ effort: inout PKCS12Effort
  ) throws(AFSecurityError) -> PKCS12Password {
    let candidates = passphrase.isEmpty ? [PKCS12Password.text(""), .none] : [.text(passphrase)]
    guard PKCS12_mac_present(file) == 1 else { return candidates[0] }
    var algorithm: UnsafePointer<X509_ALGOR>?
    var iterations: UnsafePointer<ASN1_INTEGER>?
    PKCS12_get0_mac(nil, &algorithm, nil, &iterations, file)
    try effort.add(iterations: iterations.map { Int(ASN1_INTEGER_get($0)) } ?? 1)
    try effort.add(algorithm)
    for candidate in candidates {
      let fits = candidate.withBytes { PKCS12_verify_mac(file, $0, $1) == 1 }
      if fits { return candidate }
    }
    throw AFSecurityError(.wrongPassphrase, "the passphrase does not open the PKCS#12 file")
  }
}

/// A passphrase as OpenSSL takes it: UTF-8 with its length, or nothing.
enum PKCS12Password {
  case none
  case text(String)

  func withBytes<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
    guard case .text(let text) = self else { return body(nil, 0) }
    return Array(text.utf8CString).withUnsafeBufferPointer { bytes in
      body(bytes.baseAddress, Int32(clamping: bytes.count - 1))
    }
  }
}

/// A library context of OpenSSL's beside the process's own.
///
/// Unchecked because the compiler cannot know that OpenSSL shares one between threads.
struct PKCS12Library: @unchecked Sendable {
  let context: OpaquePointer?

  /// With the ciphers that OpenSSL no longer offers by itself, where the legacy provider is installed. Lives as long as the process.
  static let withLegacyCiphers = PKCS12Library(providers: ["default", "legacy"])
  static let withoutLegacyCiphers = PKCS12Library(providers: ["default"])

  private init(providers: [String]) {
    af_OPENSSL_outlive_threads()
    context = OSSL_LIB_CTX_new()
    for provider in providers { OSSL_PROVIDER_load(context, provider) }
    ERR_clear_error()
  }
}
