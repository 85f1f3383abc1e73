import COpenSSL
import Foundation

/// One run of OpenSSL's path validation (RFC 5280 §6) over what a server sent.
struct PathValidation {
  /// Certificates as the server sent them, leaf first.
  var presented: [X509Handle]
  var store: TrustStore
  /// The name to check, or nil for none.
  var name: ServerName?
  /// The moment to judge at, or nil for now.
  var date: Date?
  var lists: ListLookup?

  /// No honest path is longer; OpenSSL's own limit of 100 lets a hostile server buy 100 signature checks.
  private static let maximumDepth: Int32 = 16
  /// 112 bits: RSA and DH from 2048 bits, no SHA-1 signatures. Debian's own level for TLS.
  private static let securityLevel: Int32 = 2

  /// The validated path, leaf first, anchor last.
  func run() throws(VerifyFailure) -> [X509Handle] {
    guard let leaf = presented.first else { throw VerifyFailure(error: X509_V_ERR_UNSPECIFIED, depth: 0, path: []) }
    // Path building leaves errors behind even when it succeeds; another user of this thread would find them.
    defer { ERR_clear_error() }
    // Lists speak while OpenSSL walks the path, so it must walk.
    if lists?.isEmpty == false { return try validate(leaf).path }
    if let known = store.validPath(of: presented, at: date), name.map({ CertificateNames.match(leaf, $0) }) ?? true {
      return known
    }
    let (path, edition) = try validate(leaf)
    store.remember(path, of: presented, edition: edition)
    return path
  }

  /// OpenSSL checks the name along with the path, but for names that it would not let a wildcard stand for.
  private func checkOddName(_ leaf: X509Handle, _ path: [X509Handle]) throws(VerifyFailure) {
    guard let name, name.hasOddLabel, !CertificateNames.match(leaf, name) else { return }
    throw VerifyFailure(error: X509_V_ERR_HOSTNAME_MISMATCH, depth: 0, path: path)
  }

  private func validate(_ leaf: X509Handle) throws(VerifyFailure) -> (path: [X509Handle], edition: Int) {
    guard let context = X509_STORE_CTX_new() else {
      throw VerifyFailure(error: X509_V_ERR_OUT_OF_MEM, depth: 0, path: presented)
    }
    defer { X509_STORE_CTX_free(context) }
    let others = X509Stack(presented.dropFirst())
    // Only the verification itself looks at the store.
    let (accepted, edition) = store.withStore { store, edition in
      (verify(context, store, leaf, others.pointer), edition)
    }
    let path = X509Stack.members(of: X509_STORE_CTX_get0_chain(context))
    let error = X509_STORE_CTX_get_error(context)
    guard accepted else {
      throw VerifyFailure(
        error: error == X509_V_OK ? X509_V_ERR_UNSPECIFIED : error,
        depth: Int(X509_STORE_CTX_get_error_depth(context)), path: path.isEmpty ? presented : path)
    }
    try checkOddName(leaf, path)
    return (path, edition)
  }

  private func verify(
    _ context: OpaquePointer, _ store: OpaquePointer?, _ leaf: X509Handle, _ others: OpaquePointer?
  ) -> Bool {
    guard X509_STORE_CTX_init(context, store, leaf.pointer, others) == 1 else { return false }
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_depth(parameters, Self.maximumDepth)
    X509_VERIFY_PARAM_set_auth_level(parameters, Self.securityLevel)
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
    X509_VERIFY_PARAM_set_trust(parameters, X509_TRUST_SSL_SERVER)
    if let date { X509_VERIFY_PARAM_set_time(parameters, date.openSSLTime) }
    guard setName(in: parameters) else {
      X509_STORE_CTX_set_error(context, X509_V_ERR_HOSTNAME_MISMATCH)
      return false
    }
    let verify = { X509_verify_cert(context) == 1 }
    return lists?.run(in: context, verify: verify) ?? verify()
  }

  /// False when the name can match nothing.
  private func setName(in parameters: OpaquePointer?) -> Bool {
    switch name {
    case nil: return true
    case .unusable: return false
    case .dns where name?.hasOddLabel == true: return true
    case .dns(let host):
      X509_VERIFY_PARAM_set_hostflags(parameters, CertificateNames.flags)
      return X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1
    case .address(let address):
      return X509_VERIFY_PARAM_set1_ip(parameters, address.octets, address.octets.count) == 1
    }
  }
}

/// The name check on its own, for verdicts that rest on a pin and not on a path.
enum CertificateNames {
  /// The common name is never a host name (RFC 9525 §2), and a wildcard stands for a whole label.
  static let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)

  /// Whether `certificate` is for `name`.
  ///
  /// With `allowingCommonName`, a certificate without any alternative name may be matched by its common name.
  static func match(_ certificate: X509Handle, _ name: ServerName, allowingCommonName: Bool = false) -> Bool {
    switch name {
    case .unusable: return false
    case .address(let address):
      return X509_check_ip(certificate.pointer, address.octets, address.octets.count, 0) == 1
    case .dns(let host):
      let usesCommonName = allowingCommonName && !AFCertificate(handle: certificate).hasAlternativeNames
      let flags = usesCommonName ? UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS) : flags
      if X509_check_host(certificate.pointer, host, host.utf8.count, flags, nil) == 1 { return true }
      return name.hasOddLabel && matchesWildcard(AFCertificate(handle: certificate), host)
    }
  }

  /// Whether one of the certificate's names is `*` and what follows the first label of `host`.
  private static func matchesWildcard(_ certificate: AFCertificate, _ host: String) -> Bool {
    guard let dot = host.firstIndex(of: ".") else { return false }
    let rest = host[dot...].lowercased()
    // As OpenSSL, no wildcard for all of a top-level domain.
    guard rest.dropFirst().contains(".") else { return false }
    return certificate.alternativeNames.contains { isDNS($0, "*\(rest)") }
  }

  private static func isDNS(_ name: AFCertificate.AlternativeName, _ text: String) -> Bool {
    if case .dns(let host) = name { host.lowercased() == text } else { false }
  }
}
