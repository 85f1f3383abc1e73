import Foundation

/// A server's digest of the whole representation: `Repr-Digest` (RFC 9530 §3), or the older `Digest` (RFC 3230).
enum DigestField {
  /// The SHA-256 in hexadecimal digits; nil if neither field has one that can be read.
  static func sha256(reprDigest: String?, digest: String?) -> String? {
    if let member = member("sha-256", of: reprDigest), member.hasPrefix(":"), member.hasSuffix(":"), member.count > 2 {
      return hexadecimal(member.dropFirst().dropLast())
    }
    return member("sha-256", of: digest).flatMap { hexadecimal($0[...]) }
  }

  private static func member(_ name: String, of field: String?) -> String? {
    for member in (field ?? "").split(separator: ",") {
      guard let equals = member.firstIndex(of: "=") else { continue }
      guard member[..<equals].trimmingCharacters(in: .whitespaces).lowercased() == name else { continue }
      return member[member.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    }
    return nil
  }

  private static func hexadecimal(_ base64: Substring) -> String? {
    guard let octets = Data(base64Encoded: String(base64)), octets.count == 32 else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
