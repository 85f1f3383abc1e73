import COpenSSL
import Foundation

/// Builds and signs one certificate, DER; self-signed when there is no issuer.
func signedCertificate(_ profile: CertificateProfile, subjectKey: TestKey, issuer: TestAuthority?) throws -> Data {
  guard let certificate = X509_new() else { throw TestCertificateError("X509_new") }
  defer { X509_free(certificate) }
  let issuerCertificate = try issuer?.certificate.decodedCertificate()
  defer { X509_free(issuerCertificate) }

  X509_set_version(certificate, 2)
  let serial = profile.serial ?? UInt64.random(in: 1...UInt64(Int64.max))
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial)
  ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(profile.notBefore.timeIntervalSince1970))
  ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(profile.notAfter.timeIntervalSince1970))
  if let name = profile.commonName {
    let subject = X509_get_subject_name(certificate)
    guard X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_FLAG, name, -1, -1, 0) > 0 else {
      throw TestCertificateError("common name \(name)")
    }
  }
  X509_set_issuer_name(certificate, X509_get_subject_name(issuerCertificate ?? certificate))
  X509_set_pubkey(certificate, subjectKey.pointer)

  for item in extensions(of: profile, isSelfSigned: issuer == nil) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuerCertificate ?? certificate, certificate, nil, nil, 0)
    guard let value = X509V3_EXT_nconf(nil, &context, item.name, item.value) else {
      throw TestCertificateError("extension \(item.name) = \(item.value)")
    }
    defer { X509_EXTENSION_free(value) }
    X509_add_ext(certificate, value, -1)
  }

  let signer = issuer?.key ?? subjectKey
  let digest: OpaquePointer? =
    switch profile.digest {
    case _ where signer.kind == .ed25519: nil
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .md5: EVP_md5()
    }
  guard X509_sign(certificate, signer.pointer, digest) > 0 else { throw TestCertificateError("X509_sign") }
  return try der { i2d_X509(certificate, $0) }
}

/// The profile's extensions in OpenSSL's configuration form.
private func extensions(
  of profile: CertificateProfile, isSelfSigned: Bool
) -> [(name: String, value: String)] {
  var result: [(name: String, value: String)] = []
  var constraints = "critical,CA:\(profile.isAuthority ? "TRUE" : "FALSE")"
  if let pathLength = profile.pathLength { constraints += ",pathlen:\(pathLength)" }
  result.append(("basicConstraints", constraints))
  result.append(("subjectKeyIdentifier", "hash"))
  if !isSelfSigned { result.append(("authorityKeyIdentifier", "keyid")) }
  if let usage = profile.keyUsage { result.append(("keyUsage", "critical,\(usage)")) }
  if let usage = profile.extendedKeyUsage { result.append(("extendedKeyUsage", usage)) }
  if !profile.alternativeNames.isEmpty {
    result.append(("subjectAltName", profile.alternativeNames.joined(separator: ",")))
  }
  if let constraints = profile.nameConstraints { result.append(("nameConstraints", "critical,\(constraints)")) }
  return result + profile.extensions
}
