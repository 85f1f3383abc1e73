import COpenSSL
public import Foundation

extension AFCertificate {
  /// The first moment at which the certificate is valid.
  public var notValidBefore: Date { Date(X509_get0_notBefore(handle.pointer)) ?? .distantFuture }

  /// The last moment at which the certificate is valid.
  public var notValidAfter: Date { Date(X509_get0_notAfter(handle.pointer)) ?? .distantPast }

  /// The serial number, in hexadecimal with upper case digits.
  public var serialNumber: String {
    guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(handle.pointer), nil) else { return "" }
    defer { BN_free(number) }
    guard let text = BN_bn2hex(number) else { return "" }
    defer { af_OPENSSL_free(text) }
    return String(cString: text)
  }

  /// Whether the certificate may issue others (the CA bit of its basic constraints).
  public var isAuthority: Bool { X509_check_ca(handle.pointer) == 1 }

  /// Whether subject and issuer are the same name and the certificate's own key made its signature.
  public var isSelfSigned: Bool { X509_self_signed(handle.pointer, 1) == 1 }

  /// Whether the certificate obliges its server to staple an OCSP response (RFC 7633, "must staple").
  public var demandsStapling: Bool { X509_get_ext_by_NID(handle.pointer, NID_tlsfeature, -1) >= 0 }

  /// The algorithm of the signature on the certificate, such as `RSA-SHA256`.
  public var signatureAlgorithm: String { String(cString: OBJ_nid2sn(X509_get_signature_nid(handle.pointer))) }
}

extension Date {
  /// The moment an ASN.1 time names, or nil when it is malformed.
  init?(_ time: UnsafePointer<ASN1_TIME>?) {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    self.init(timeIntervalSince1970: TimeInterval(timegm(&parts)))
  }

  /// Year, month and day in UTC.
  var shortDay: String { String(ISO8601DateFormatter().string(from: self).prefix(10)) }

  /// The moment in whole seconds, moved into the years that OpenSSL can name. What is no moment at all is after every certificate.
  var openSSLTime: time_t {
    let first = -2_208_988_800.0
    let last = 253_402_300_799.0
    return time_t(timeIntervalSince1970.isNaN ? last : min(max(timeIntervalSince1970, first), last))
  }
}
