import AFSupport
import Foundation

/// How a policy is archived: AFNetworking's four keys, and one more for what it did not have.
enum PolicyCoding {
  private static let mode = "SSLPinningMode"
  private static let allowInvalid = "allowInvalidCertificates"
  private static let validatesName = "validatesDomainName"
  private static let pins = "pinnedCertificates"
  private static let further = "AFSecurityPolicyFurtherSettings"

  /// What AFNetworking's policy does not have.
  private struct Further: Codable {
    var publicKeyPins: [Data]
    var backupPins: [Data]
    var reportOnlyPins: [Data]
    var anchors: [Data]?
    var includesSystem: Bool
    var evaluationDate: Date?
    var pinExpirationDate: Date?
    var pinReportURL: URL?
    var minimumTLSVersion: Int
    var ciphers: AFTLSCiphers?
    var revocation: Revocation?

    struct Revocation: Codable {
      var lists: [Data]
      var usesStapledResponse: Bool
      var isRequired: Bool
      var checksWholeChain: Bool
    }
  }

  static func encode(_ rule: PolicyCore.Rule, with coder: NSCoder) {
    guard case .settings(let settings) = rule else {
      // Restoring less than there was would accept more. Marked so that decoding fails.
      coder.encode(NSNumber(value: -1), forKey: mode)
      return
    }
    coder.encode(NSNumber(value: settings.pinningMode.rawValue), forKey: mode)
    coder.encode(settings.allowInvalidCertificates, forKey: allowInvalid)
    coder.encode(settings.validatesDomainName, forKey: validatesName)
    if settings.hasPinnedCertificates {
      coder.encode(NSSet(array: settings.pinned.data.map { $0 as NSData }), forKey: pins)
    }
    let further = Further(
      publicKeyPins: settings.publicKeyPins.map(\.sha256), backupPins: settings.backupPublicKeyPins.map(\.sha256),
      reportOnlyPins: settings.reportOnlyPins.map(\.sha256),
      anchors: settings.anchors.certificates?.map(\.derRepresentation), includesSystem: settings.anchors.includesSystem,
      evaluationDate: settings.evaluationDate, pinExpirationDate: settings.pinExpirationDate,
      pinReportURL: settings.pinReportURL, minimumTLSVersion: settings.minimumTLSVersion.rawValue,
      ciphers: settings.ciphers,
      revocation: settings.revocation.map {
        Further.Revocation(
          lists: $0.revocationLists.map(\.derRepresentation), usesStapledResponse: $0.usesStapledResponse,
          isRequired: $0.requirement == .required, checksWholeChain: $0.checksWholeChain)
      })
    let data = try? PropertyListEncoder().encode(further)
    coder.encode((data ?? Data()) as NSData, forKey: Self.further)
  }

  /// Nil when the archive holds something that cannot be restored as it was.
  static func rule(from coder: NSCoder) -> PolicyCore.Rule? {
    var settings = PolicySettings()
    // An archive that does not say what to compare is none of a policy: mode none would accept more.
    guard let number = number(coder, mode), number >= 0, let pinningMode = AFSSLPinningMode(rawValue: UInt(number))
    else { return nil }
    settings.pinningMode = pinningMode
    settings.allowInvalidCertificates = coder.decodeBool(forKey: allowInvalid)
    settings.validatesDomainName =
      !coder.containsValue(forKey: validatesName) || coder.decodeBool(forKey: validatesName)
    if coder.containsValue(forKey: pins) {
      guard let set = coder.decodeObject(of: [NSSet.self, NSData.self], forKey: pins) as? NSSet else { return nil }
      let data = set.allObjects.compactMap { ($0 as? NSData).map { Data(referencing: $0) } ?? $0 as? Data }
      guard data.count == set.count else { return nil }
      settings.hasPinnedCertificates = true
      settings.pinned = PinnedCertificates(Set(data))
    }
    guard coder.containsValue(forKey: further) else { return .settings(settings) }
    guard let data = coder.decodeObject(of: NSData.self, forKey: further),
      let restored = try? PropertyListDecoder().decode(Further.self, from: Data(referencing: data)),
      (try? restore(restored, into: &settings)) != nil
    else { return nil }
    return .settings(settings)
  }

  /// A number that stands in the archive as an object, as AFNetworking writes it, or by itself. Nil, or a failing coder, if there
  /// is none.
  private static func number(_ coder: NSCoder, _ key: String) -> Int? {
    guard coder.containsValue(forKey: key) else { return nil }
    // An object reads as zero here, and a number by itself has the coder fail below: one that is not zero is asked for first.
    let number = coder.decodeInteger(forKey: key)
    return number != 0 ? number : coder.decodeObject(of: NSNumber.self, forKey: key)?.intValue
  }

  private static func restore(_ further: Further, into settings: inout PolicySettings) throws(AFSecurityError) {
    let pins = { (data: [Data]) throws(AFSecurityError) in
      Set(try data.map { item throws(AFSecurityError) in try AFPublicKeyPin(sha256: item) })
    }
    settings.publicKeyPins = try pins(further.publicKeyPins)
    settings.backupPublicKeyPins = try pins(further.backupPins)
    settings.reportOnlyPins = try pins(further.reportOnlyPins)
    let anchors = try further.anchors?.map { data throws(AFSecurityError) in try AFCertificate(derRepresentation: data)
    }
    settings.anchors.set(anchors, includesSystem: further.includesSystem)
    settings.evaluationDate = further.evaluationDate
    settings.pinExpirationDate = further.pinExpirationDate
    settings.pinReportURL = further.pinReportURL
    guard let version = AFTLSVersion(rawValue: further.minimumTLSVersion) else {
      throw AFSecurityError(.invalidCiphers, "TLS version \(further.minimumTLSVersion) is unknown")
    }
    settings.minimumTLSVersion = version
    settings.ciphers = further.ciphers
    guard let revocation = further.revocation else { return }
    var lists: [AFRevocationList] = []
    for data in revocation.lists { lists += try AFRevocationList.lists(in: data) }
    settings.revocation = AFRevocationChecking(
      revocationLists: lists,
      usesStapledResponse: revocation.usesStapledResponse,
      requirement: revocation.isRequired ? .required : .ifAvailable, checksWholeChain: revocation.checksWholeChain)
  }
}
