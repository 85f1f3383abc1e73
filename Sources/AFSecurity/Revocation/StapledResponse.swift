import COpenSSL
import Foundation

/// What a stapled OCSP response (RFC 6960) says about one certificate.
enum StapledResponse {
  enum Status: Equatable {
    /// Until when.
    case good(Date)
    case revoked(Date?)
    /// Nothing that counts; the text says why.
    case unknown(String)
  }

  /// Clocks of client and responder may differ by this much.
  private static let tolerance: TimeInterval = 300
  /// How long a response without an end counts.
  private static let defaultLifetime: TimeInterval = 7 * 86_400

  static func status(of leaf: X509Handle, issuer: X509Handle, in response: Data, at date: Date) -> Status {
    defer { ERR_clear_error() }
    let decoded = response.withUnsafeBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      return d2i_OCSP_RESPONSE(nil, &position, bytes.count)
    }
    guard let decoded else { return .unknown("the stapled OCSP response cannot be decoded") }
    defer { OCSP_RESPONSE_free(decoded) }
    guard OCSP_response_status(decoded) == OCSP_RESPONSE_STATUS_SUCCESSFUL,
      let basic = OCSP_response_get1_basic(decoded)
    else { return .unknown("the stapled OCSP response carries no answer") }
    defer { OCSP_BASICRESP_free(basic) }
    guard isSigned(basic, by: issuer, at: date) else {
      return .unknown("the stapled OCSP response is not signed by the certificate's issuer")
    }
    for algorithm in [EVP_sha1(), EVP_sha256()] {
      guard let id = OCSP_cert_to_id(algorithm, leaf.pointer, issuer.pointer) else { continue }
      defer { OCSP_CERTID_free(id) }
      if let status = status(for: id, in: basic, at: date) { return status }
    }
    return .unknown("the stapled OCSP response is about another certificate")
  }

  private static func status(for id: OpaquePointer, in basic: OpaquePointer, at date: Date) -> Status? {
    var status: Int32 = 0
    var reason: Int32 = 0
    var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var from: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var until: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    guard OCSP_resp_find_status(basic, id, &status, &reason, &revoked, &from, &until) == 1 else { return nil }
    guard let start = Date(from) else { return .unknown("the stapled OCSP response has no date") }
    let end = Date(until) ?? start + defaultLifetime
    guard date >= start - tolerance, date <= end + tolerance else {
      return .unknown("the stapled OCSP response is out of date (\(start.shortDay) to \(end.shortDay))")
    }
    switch status {
    case V_OCSP_CERTSTATUS_GOOD: return .good(end + tolerance)
    case V_OCSP_CERTSTATUS_REVOKED: return .revoked(Date(revoked))
    default: return .unknown("the OCSP responder does not know the certificate")
    }
  }

  /// Whether the issuer itself or a responder that it certified for OCSP signed the response.
  private static func isSigned(_ basic: OpaquePointer, by issuer: X509Handle, at date: Date) -> Bool {
    guard let store = X509_STORE_new() else { return false }
    defer { X509_STORE_free(store) }
    // The issuer is a member of the validated path, so here it is an anchor, whatever stands above it.
    X509_STORE_add_cert(store, issuer.pointer)
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    if let parameters = X509_STORE_get0_param(store) {
      X509_VERIFY_PARAM_set_time(parameters, date.openSSLTime)
    }
    let certificates = X509Stack([issuer])
    return OCSP_basic_verify(basic, certificates.pointer, store, 0) == 1
  }
}
