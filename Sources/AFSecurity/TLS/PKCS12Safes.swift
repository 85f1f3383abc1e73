import COpenSSL
import Foundation

/// The keys and certificates in the safes of a PKCS#12 file.
struct PKCS12Safes {
  private(set) var keys: [AFClientIdentity.Key] = []
  var certificates: [AFCertificate] = []

  private let library: PKCS12Library
  private let password: PKCS12Password
  private var effort: PKCS12Effort
  private var bags = 0

  /// More than any keychain exports at once.
  private static let maximumBags = 4096
  private static let maximumDepth = 4

  init(library: PKCS12Library, password: PKCS12Password, effort: PKCS12Effort) {
    self.library = library
    self.password = password
    self.effort = effort
  }

  mutating func read(_ file: OpaquePointer) throws(AFSecurityError) {
    guard let safes = PKCS12_unpack_authsafes(file) else {
      throw AFSecurityError(.invalidKey, "the PKCS#12 file holds no safes, or is protected by a public key")
    }
    defer { OPENSSL_sk_pop_free(safes) { PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) } }
    let hasChecksum = PKCS12_mac_present(file) == 1
    for index in 0..<max(0, OPENSSL_sk_num(safes)) {
      guard let safe = OPENSSL_sk_value(safes, index)?.assumingMemoryBound(to: PKCS7.self) else { continue }
      guard let bags = try unpack(safe, hasChecksum: hasChecksum) else { continue }
      defer { OPENSSL_sk_pop_free(bags) { PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) }) } }
      try read(bags: bags, depth: 0, hasChecksum: hasChecksum)
    }
  }

  private mutating func unpack(
    _ safe: UnsafeMutablePointer<PKCS7>, hasChecksum: Bool
  ) throws(AFSecurityError) -> OpaquePointer? {
    switch af_PKCS7_type(safe) {
    case NID_pkcs7_data: return PKCS12_unpack_p7data(safe)
    case NID_pkcs7_encrypted:
      let algorithm = af_PKCS7_encryption(safe)
      try effort.add(algorithm)
      ERR_clear_error()
      guard let bags = password.withBytes({ PKCS12_unpack_p7encdata(safe, $0, $1) }) else {
        throw failure(algorithm, hasChecksum)
      }
      return bags
    default: return nil
    }
  }

  private mutating func read(bags: OpaquePointer, depth: Int, hasChecksum: Bool) throws(AFSecurityError) {
    guard depth <= Self.maximumDepth else {
      throw AFSecurityError(.invalidKey, "the safes of the PKCS#12 file are nested too deep")
    }
    for index in 0..<max(0, OPENSSL_sk_num(bags)) {
      guard let bag = OPENSSL_sk_value(bags, index).map({ OpaquePointer($0) }) else { continue }
      self.bags += 1
      guard self.bags <= Self.maximumBags else {
        throw AFSecurityError(.invalidKey, "the PKCS#12 file holds more than \(Self.maximumBags) entries")
      }
      switch PKCS12_SAFEBAG_get_nid(bag) {
      case NID_keyBag: if let key = PKCS12_SAFEBAG_get0_p8inf(bag) { try add(key: key) }
      case NID_pkcs8ShroudedKeyBag: try add(shrouded: bag, hasChecksum)
      case NID_certBag:
        if let certificate = PKCS12_SAFEBAG_get1_cert(bag).map(X509Handle.init(adopting:)),
          let own = X509Handle(der: certificate.der)
        {
          certificates.append(AFCertificate(handle: own))
        }
      case NID_safeContentsBag:
        if let inner = PKCS12_SAFEBAG_get0_safes(bag) {
          try read(bags: inner, depth: depth + 1, hasChecksum: hasChecksum)
        }
      default: break
      }
    }
  }

  private mutating func add(shrouded bag: OpaquePointer, _ hasChecksum: Bool) throws(AFSecurityError) {
    var algorithm: UnsafePointer<X509_ALGOR>?
    X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &algorithm, nil)
    try effort.add(algorithm)
    ERR_clear_error()
    guard let key = password.withBytes({ PKCS12_decrypt_skey_ex(bag, $0, $1, library.context, nil) }) else {
      throw failure(algorithm, hasChecksum)
    }
    defer { PKCS8_PRIV_KEY_INFO_free(key) }
    try add(key: key)
  }

  /// The key belongs to the process's own context, as every other.
  private mutating func add(key: OpaquePointer) throws(AFSecurityError) {
    guard let key = EVP_PKCS82PKEY(key) else {
      throw AFSecurityError(.invalidKey, "the PKCS#12 file holds a private key of a kind that OpenSSL does not know")
    }
    keys.append(AFClientIdentity.Key(adopting: key))
  }

  /// Why something did not decrypt.
  private func failure(_ algorithm: UnsafePointer<X509_ALGOR>?, _ hasChecksum: Bool) -> AFSecurityError {
    if isUnsupported {
      return AFSecurityError(
        .invalidKey,
        "the PKCS#12 file is encrypted with \(Self.name(of: algorithm)), which this OpenSSL does not offer (its legacy provider "
          + "is not installed). Where it is: openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export -out NEW")
    }
    return hasChecksum
      ? AFSecurityError(.invalidKey, "the PKCS#12 file is damaged: what it encrypts cannot be read")
      : AFSecurityError(.wrongPassphrase, "the passphrase does not open the PKCS#12 file")
  }

  /// Whether OpenSSL says that it lacks the algorithm. What it says last is only that decrypting failed.
  private var isUnsupported: Bool {
    var found = false
    while case let code = ERR_get_error(), code != 0 {
      let reason = af_ERR_reason(code)
      if reason == af_ERR_R_UNSUPPORTED || reason == EVP_R_UNSUPPORTED_ALGORITHM
        || reason == EVP_R_UNKNOWN_PBE_ALGORITHM
      {
        found = true
      }
    }
    return found
  }

  private static func name(of algorithm: UnsafePointer<X509_ALGOR>?) -> String {
    var object: OpaquePointer?
    X509_ALGOR_get0(&object, nil, nil, algorithm)
    let number = OBJ_obj2nid(object)
    switch number {
    case NID_pbe_WithSHA1And40BitRC2_CBC: return "RC2-40-CBC (\(String(cString: OBJ_nid2ln(number))))"
    case NID_pbe_WithSHA1And128BitRC2_CBC: return "RC2-CBC (\(String(cString: OBJ_nid2ln(number))))"
    case NID_undef: return "an unknown algorithm"
    default: return String(cString: OBJ_nid2ln(number))
    }
  }
}
