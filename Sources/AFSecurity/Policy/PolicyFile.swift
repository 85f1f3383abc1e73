import Foundation

/// Reads the JSON form of a policy. Strict, since a misspelt pin would otherwise be no pin.
struct PolicyFile {
  /// What the names of files are relative to.
  var directory: URL

  static func object(_ data: Data) throws(AFSecurityError) -> [String: Any] {
    do {
      guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
        throw AFSecurityError(.invalidPolicyFile, "the file is not a JSON object")
      }
      return object
    } catch let error as AFSecurityError {
      throw error
    } catch {
      throw AFSecurityError(.invalidPolicyFile, "the file is not JSON")
    }
  }

  func policy(_ object: [String: Any]) throws(AFSecurityError) -> AFSecurityPolicy {
    guard let hosts = object["hosts"] else { return try plainPolicy(object) }
    guard let hosts = hosts as? [String: [String: Any]] else { throw wrong("hosts", "an object of objects") }
    var policies: [String: AFSecurityPolicy] = [:]
    for (host, members) in hosts { policies[host] = try plainPolicy(members) }
    var others = object
    others["hosts"] = nil
    return try AFSecurityPolicy.perHost(policies, otherwise: others.isEmpty ? nil : plainPolicy(others))
  }

  private func plainPolicy(_ object: [String: Any]) throws(AFSecurityError) -> AFSecurityPolicy {
    var settings = PolicySettings()
    var anchors: [AFCertificate]?
    var includesSystem = true
    for (key, value) in object {
      switch key {
      case "mode": settings.pinningMode = try mode(value)
      case "publicKeyPins": settings.publicKeyPins = try pins(key, value)
      case "backupPublicKeyPins": settings.backupPublicKeyPins = try pins(key, value)
      case "reportOnlyPins": settings.reportOnlyPins = try pins(key, value)
      case "pinnedCertificates":
        settings.hasPinnedCertificates = true
        settings.pinned = PinnedCertificates(Set(try certificates(key, value).map(\.derRepresentation)))
      case "anchorCertificates": anchors = try certificates(key, value)
      case "usesSystemAnchors": includesSystem = try flag(key, value)
      case "allowInvalidCertificates": settings.allowInvalidCertificates = try flag(key, value)
      case "validatesDomainName": settings.validatesDomainName = try flag(key, value)
      case "minimumTLSVersion": settings.minimumTLSVersion = try version(value)
      default: throw AFSecurityError(.invalidPolicyFile, "'\(key)' is not a member of a policy")
      }
    }
    if !settings.pinned.certificates.isEmpty && settings.effectiveMode == .none {
      throw AFSecurityError(.invalidPolicyFile, "pinnedCertificates need a mode, publicKey or certificate")
    }
    settings.anchors.set(anchors, includesSystem: includesSystem)
    return AFSecurityPolicy(rule: .settings(settings))
  }

  private func mode(_ value: Any) throws(AFSecurityError) -> AFSSLPinningMode {
    switch value as? String {
    case "none": return .none
    case "publicKey": return .publicKey
    case "certificate": return .certificate
    default: throw wrong("mode", "none, publicKey or certificate")
    }
  }

  private func version(_ value: Any) throws(AFSecurityError) -> AFTLSVersion {
    switch value as? String {
    case "1.2": return .tls12
    case "1.3": return .tls13
    default: throw wrong("minimumTLSVersion", "\"1.2\" or \"1.3\"")
    }
  }

  private func flag(_ key: String, _ value: Any) throws(AFSecurityError) -> Bool {
    // A number converts to Bool as well; only `true` and `false` have a character for their type.
    guard let number = value as? NSNumber, String(cString: number.objCType) == "c", let flag = value as? Bool else {
      throw wrong(key, "true or false")
    }
    return flag
  }

  private func pins(_ key: String, _ value: Any) throws(AFSecurityError) -> Set<AFPublicKeyPin> {
    guard let texts = value as? [String] else { throw wrong(key, "an array of strings") }
    var result: Set<AFPublicKeyPin> = []
    for text in texts { result.insert(try AFPublicKeyPin(text)) }
    return result
  }

  private func certificates(_ key: String, _ value: Any) throws(AFSecurityError) -> [AFCertificate] {
    guard let names = value as? [String] else { throw wrong(key, "an array of file names") }
    var result: [AFCertificate] = []
    for name in names {
      result += try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: name, relativeTo: directory))
    }
    return result
  }

  private func wrong(_ key: String, _ expected: String) -> AFSecurityError {
    AFSecurityError(.invalidPolicyFile, "'\(key)' must be \(expected)")
  }
}
