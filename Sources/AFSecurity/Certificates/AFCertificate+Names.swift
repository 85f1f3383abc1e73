import AFSupport
import COpenSSL
import Foundation

extension AFCertificate {
  /// A name from the subject alternative name extension (RFC 5280 §4.2.1.6).
  public enum AlternativeName: Sendable, Hashable, CustomStringConvertible {
    /// A host name, possibly with a wildcard; internationalized names stand in their ASCII form.
    case dns(String)
    /// An address, in its usual text form. An entry that is not 4 or 16 octets long shows as hex and matches nothing.
    case ipAddress(String)
    /// A mailbox.
    case email(String)
    /// A URI.
    case uri(String)

    /// `DNS:example.com`, `IP:127.0.0.1`, …, with control characters escaped.
    public var description: String {
      switch self {
      case .dns(let name): "DNS:\(name.printable())"
      case .ipAddress(let address): "IP:\(address.printable())"
      case .email(let mailbox): "email:\(mailbox.printable())"
      case .uri(let uri): "URI:\(uri.printable())"
      }
    }
  }

  /// The subject's distinguished name, in the form of RFC 2253.
  public var subject: String { distinguishedName(X509_get_subject_name(handle.pointer)) }

  /// The issuer's distinguished name, in the form of RFC 2253.
  public var issuer: String { distinguishedName(X509_get_issuer_name(handle.pointer)) }

  /// The subject's last common name. Never used to match a host where the certificate has alternative names.
  public var commonName: String? {
    let name = X509_get_subject_name(handle.pointer)
    var index: Int32 = -1
    while case let next = X509_NAME_get_index_by_NID(name, NID_commonName, index), next >= 0 { index = next }
    guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
    return text(X509_NAME_ENTRY_get_data(entry))
  }

  /// The subject alternative names, in the certificate's order. Kinds that no HTTP client uses are left out.
  public var alternativeNames: [AlternativeName] {
    guard let names = X509_get_ext_d2i(handle.pointer, NID_subject_alt_name, nil, nil).map(OpaquePointer.init) else {
      return []
    }
    defer { GENERAL_NAMES_free(names) }
    return (0..<max(0, OPENSSL_sk_num(names))).compactMap { index in
      OPENSSL_sk_value(names, index).flatMap { alternativeName(OpaquePointer($0)) }
    }
  }

  /// Whether the certificate has a subject alternative name extension at all.
  var hasAlternativeNames: Bool { X509_get_ext_by_NID(handle.pointer, NID_subject_alt_name, -1) >= 0 }

  /// The host names and addresses that a server with this certificate may be reached by.
  public var hostNames: [String] {
    alternativeNames.compactMap { name in
      switch name {
      case .dns(let host), .ipAddress(let host): host
      case .email, .uri: nil
      }
    }
  }

  private func alternativeName(_ name: OpaquePointer) -> AlternativeName? {
    var kind: Int32 = 0
    let value = GENERAL_NAME_get0_value(UnsafePointer<GENERAL_NAME>(name), &kind)?.assumingMemoryBound(
      to: ASN1_STRING.self)
    switch kind {
    case GEN_DNS: return text(value).map(AlternativeName.dns)
    case GEN_EMAIL: return text(value).map(AlternativeName.email)
    case GEN_URI: return text(value).map(AlternativeName.uri)
    case GEN_IPADD: return .ipAddress(IPAddress(bytes(value)).description)
    default: return nil
    }
  }

  private func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
    guard let string, let start = ASN1_STRING_get0_data(string) else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(string))))
  }

  private func text(_ string: UnsafePointer<ASN1_STRING>?) -> String? {
    var start: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&start, string)
    guard count >= 0, let start else { return nil }
    defer { af_OPENSSL_free(start) }
    return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  private func distinguishedName(_ name: OpaquePointer?) -> String {
    textWritten { X509_NAME_print_ex($0, name, 0, af_XN_FLAG_READABLE) }
  }
}

/// What `write` puts into a memory BIO, as text.
func textWritten(by write: (OpaquePointer?) -> Int32) -> String {
  guard let bio = BIO_new(BIO_s_mem()) else { return "" }
  defer { BIO_free_all(bio) }
  guard write(bio) >= 0 else { return "" }
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 512)
  while case let count = BIO_read(bio, &buffer, Int32(buffer.count)), count > 0 {
    result += buffer.prefix(Int(count))
  }
  return String(decoding: result, as: UTF8.self)
}
