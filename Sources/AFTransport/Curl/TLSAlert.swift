/// A fatal alert of a TLS server or proxy (RFC 8446 §6): it ends the connection, before or after the handshake.
package struct TLSAlert: Sendable, Hashable {
  package enum Meaning: Sendable {
    /// The peer wants a client certificate, and was shown none.
    case certificateRequired
    /// The peer does not take the client certificate that it was shown.
    case certificateRejected
    /// No agreement about the connection.
    case noAgreement
  }

  /// Nil if the peer ended the connection while a request was being sent: libcurl then looks no more at what the peer has said.
  package let number: UInt8?
  /// Whether the peer had asked for a client certificate.
  package let asksForCertificate: Bool
  /// Whether it was shown one.
  package let hasSeenCertificate: Bool

  package init(number: UInt8?, asksForCertificate: Bool = false, hasSeenCertificate: Bool = false) {
    self.number = number
    self.asksForCertificate = asksForCertificate
    self.hasSeenCertificate = hasSeenCertificate
  }

  /// A server has no other certificate to complain about than the client's. One that was shown none may say `handshake_failure`
  /// (RFC 5246 §7.4.6).
  package var meaning: Meaning {
    guard let number else { return hasSeenCertificate ? .certificateRejected : .certificateRequired }
    return switch number {
    case 116: .certificateRequired
    case 41...46, 48, 49: hasSeenCertificate || !asksForCertificate ? .certificateRejected : .certificateRequired
    case 40: asksForCertificate && !hasSeenCertificate ? .certificateRequired : .noAgreement
    default: .noAgreement
    }
  }

  /// The name in RFC 8446, or in an older RFC.
  package var name: String { number.flatMap { Self.names[$0] } ?? "alert" }

  /// For people: what the peer said, and what that means.
  package func message(host: String) -> String {
    let words =
      switch meaning {
      case .certificateRequired: "it wants a client certificate"
      case .certificateRejected: "it does not take the client certificate"
      case .noAgreement: "no agreement about the connection"
      }
    guard let number else {
      return "\(host) asked for a client certificate, and ended TLS before its alert could be read: probably \(words)"
    }
    return "\(host) ended TLS with the alert \(name) (\(number)): \(words)"
  }

  private static let names: [UInt8: String] = [
    0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed", 22: "record_overflow",
    30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate", 42: "bad_certificate",
    43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown",
    47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error", 51: "decrypt_error",
    60: "export_restriction", 70: "protocol_version", 71: "insufficient_security", 80: "internal_error",
    86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation", 109: "missing_extension",
    110: "unsupported_extension", 111: "certificate_unobtainable", 112: "unrecognized_name",
    113: "bad_certificate_status_response", 114: "bad_certificate_hash_value", 115: "unknown_psk_identity",
    116: "certificate_required", 120: "no_application_protocol",
  ]
}
