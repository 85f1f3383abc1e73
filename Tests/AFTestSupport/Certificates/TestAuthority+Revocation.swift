import COpenSSL
package import Foundation

extension TestAuthority {
  /// A list of revoked certificates, DER.
  package func revocationList(
    of revoked: [Data], thisUpdate: Date = Date(timeIntervalSinceNow: -3600),
    nextUpdate: Date = Date(timeIntervalSinceNow: 3600)
  ) throws -> Data {
    guard let list = X509_CRL_new() else { throw TestCertificateError("X509_CRL_new") }
    defer { X509_CRL_free(list) }
    let issuer = try certificate.decodedCertificate()
    defer { X509_free(issuer) }
    X509_CRL_set_version(list, 1)
    X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer))
    let (from, until) = (TestTime(thisUpdate), TestTime(nextUpdate))
    X509_CRL_set1_lastUpdate(list, from.pointer)
    X509_CRL_set1_nextUpdate(list, until.pointer)
    for data in revoked {
      let certificate = try data.decodedCertificate()
      defer { X509_free(certificate) }
      let entry = X509_REVOKED_new()
      X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(certificate))
      X509_REVOKED_set_revocationDate(entry, from.pointer)
      X509_CRL_add0_revoked(list, entry)
    }
    X509_CRL_sort(list)
    guard X509_CRL_sign(list, key.pointer, key.digest) > 0 else { throw TestCertificateError("X509_CRL_sign") }
    return try der { i2d_X509_CRL(list, $0) }
  }

  package enum ResponseStatus: Sendable { case good, revoked, unknown }

  /// An OCSP response about a certificate that this authority issued, DER; signed by this authority or by `responder`.
  package func ocspResponse(
    for subject: Data, status: ResponseStatus = .good, responder: TestIdentity? = nil,
    thisUpdate: Date = Date(timeIntervalSinceNow: -3600), nextUpdate: Date? = Date(timeIntervalSinceNow: 3600)
  ) throws -> Data {
    let issuer = try certificate.decodedCertificate()
    let leaf = try subject.decodedCertificate()
    let signer = try responder?.certificate.decodedCertificate()
    defer {
      X509_free(issuer)
      X509_free(leaf)
      X509_free(signer)
    }
    guard let basic = OCSP_BASICRESP_new(), let id = OCSP_cert_to_id(nil, leaf, issuer) else {
      throw TestCertificateError("OCSP_BASICRESP_new")
    }
    defer {
      OCSP_BASICRESP_free(basic)
      OCSP_CERTID_free(id)
    }
    let (from, until) = (TestTime(thisUpdate), nextUpdate.map { TestTime($0) })
    let code =
      switch status {
      case .good: V_OCSP_CERTSTATUS_GOOD
      case .revoked: V_OCSP_CERTSTATUS_REVOKED
      case .unknown: V_OCSP_CERTSTATUS_UNKNOWN
      }
    let revoked = status == .revoked ? from.pointer : nil
    guard OCSP_basic_add1_status(basic, id, code, 0, revoked, from.pointer, until?.pointer) != nil,
      OCSP_basic_sign(
        basic, signer ?? issuer, responder?.key.pointer ?? key.pointer, (responder?.key ?? key).digest, nil, 0) > 0,
      let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
    else { throw TestCertificateError("OCSP response") }
    defer { OCSP_RESPONSE_free(response) }
    return try der { i2d_OCSP_RESPONSE(response, $0) }
  }
}

/// An ASN.1 time for the duration of a call.
private final class TestTime {
  let pointer: UnsafeMutablePointer<ASN1_TIME>?

  init(_ date: Date) { pointer = ASN1_GENERALIZEDTIME_set(nil, time_t(date.timeIntervalSince1970)) }
  deinit { ASN1_TIME_free(pointer) }
}
