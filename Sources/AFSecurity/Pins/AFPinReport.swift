public import Foundation

/// A server that has none of a policy's pins: it was refused, or would have been if report-only pins were in force.
public struct AFPinReport: Sendable {
  /// Whether the server was refused for it. False: only ``AFSecurityPolicy/reportOnlyPins`` did not match.
  public let wasRefused: Bool
  /// The host that was meant, where there was one.
  public let host: String?
  /// When the server was judged.
  public let date: Date
  /// The path that was judged, leaf first: the validated one where there was one.
  public let chain: [AFCertificate]
  /// The certificates as the server sent them, its own first.
  public let servedChain: [AFCertificate]
  /// The pins that were expected.
  public let expectedPins: Set<AFPublicKeyPin>
  /// When the pins end, if the policy says so: ``AFSecurityPolicy/pinExpirationDate``.
  public let expirationDate: Date?

  /// The pins of the keys in ``chain``, in its order.
  public var presentedPins: [AFPublicKeyPin] { chain.map(\.publicKeyPin) }

  /// The report as JSON, in the form of RFC 7469 §3, for a server that collects such reports.
  ///
  /// Members: `date-time`, `hostname`, `port`, `noted-hostname`, `include-subdomains`, `effective-expiration-date` if the pins end,
  /// `served-certificate-chain` and `validated-certificate-chain` in PEM form, and `known-pins`; beside the RFC, `enforced`.
  /// A policy knows no port; the value given here is what the report says.
  ///
  /// - Parameter port: The TCP port of the server. Default: 443.
  /// - Returns: An object in JSON.
  public func jsonRepresentation(port: Int = 443) -> Data {
    let time = ISO8601DateFormatter()
    var members: [String: Any] = [
      "date-time": time.string(from: date), "hostname": host ?? "", "port": port, "noted-hostname": host ?? "",
      "include-subdomains": false, "enforced": wasRefused,
      "served-certificate-chain": servedChain.map(\.pemRepresentation),
      "validated-certificate-chain": chain.map(\.pemRepresentation),
      "known-pins": expectedPins.map { "pin-sha256=\"\($0.sha256.base64EncodedString())\"" }.sorted(),
    ]
    if let expirationDate { members["effective-expiration-date"] = time.string(from: expirationDate) }
    // Strings, numbers and arrays of strings: there is nothing that could fail.
    return (try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys])) ?? Data()
  }
}
