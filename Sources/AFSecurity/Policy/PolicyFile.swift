import AFSupport
import Foundation

/// Reads the JSON form of a policy. Strict, since a misspelt pin would otherwise be no pin.
struct PolicyFile {
  /// What the names of files are relative to.
  var directory: URL

  static func object(_ data: Data) throws(AFSecurityError) -> [String: Any] {
    guard !isNestedTooDeep(data) else { throw AFSecurityError(.invalidPolicyFile, "the file is nested too deep") }
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

  /// A policy has four levels. Whatever has many more is not given to the parser, which keeps a frame for each.
  private static func isNestedTooDeep(_ data: Data) -> Bool {
    var (depth, deepest) = (0, 0)
    JSONStructure.scan(data) { byte in
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      deepest = max(deepest, depth)
      return deepest <= 32
    }
    return deepest > 32
  }

  func policy(_ object: [String: Any]) throws(AFSecurityError) -> AFSecurityPolicy {
    guard object["hosts"] != nil || object["excludedHosts"] != nil else { return try plainPolicy(object) }
    guard let hosts = object["hosts"] as? [String: [String: Any]] else { throw wrong("hosts", "an object of objects") }
    guard hosts.count <= Self.maximumCount else { throw wrong("hosts", "at most \(Self.maximumCount) hosts") }
    var policies: [String: AFSecurityPolicy] = [:]
    for (host, members) in hosts { policies[host] = try plainPolicy(members) }
    let excluded = try object["excludedHosts"].map { value throws(AFSecurityError) in
      try texts("excludedHosts", value, "host names")
    }
    var others = object
    others["hosts"] = nil
    others["excludedHosts"] = nil
    return try AFSecurityPolicy.perHost(
      policies, excluding: Set(excluded ?? []), otherwise: others.isEmpty ? nil : plainPolicy(others))
  }

  private func plainPolicy(_ object: [String: Any]) throws(AFSecurityError) -> AFSecurityPolicy {
    var settings = PolicySettings()
    var anchors: [AFCertificate]?
    var includesSystem = true
    for (key, value) in object {
      switch key {
      case "notes": _ = value is String ? [] : try texts(key, value, "strings")
      case "mode": settings.pinningMode = try mode(value)
      case "publicKeyPins": settings.publicKeyPins = try pins(key, value)
      case "backupPublicKeyPins": settings.backupPublicKeyPins = try pins(key, value)
      case "reportOnlyPins": settings.reportOnlyPins = try pins(key, value)
      case "pinnedCertificates":
        settings.hasPinnedCertificates = true
        settings.pinned = PinnedCertificates(Set(try pinnedCertificates(key, value).map(\.derRepresentation)))
      case "anchorCertificates": anchors = try certificates(key, value)
      case "usesSystemAnchors": includesSystem = try flag(key, value)
      case "allowInvalidCertificates": settings.allowInvalidCertificates = try flag(key, value)
      case "validatesDomainName": settings.validatesDomainName = try flag(key, value)
      case "minimumTLSVersion": settings.minimumTLSVersion = try version(value)
      case "pinExpirationDate": settings.pinExpirationDate = try date(key, value)
      case "pinReportURL": settings.pinReportURL = try url(key, value)
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
    var result: Set<AFPublicKeyPin> = []
    for text in try texts(key, value, "strings") { result.insert(try AFPublicKeyPin(text)) }
    return result
  }

  private func pinnedCertificates(_ key: String, _ value: Any) throws(AFSecurityError) -> [AFCertificate] {
    var result: [AFCertificate] = []
    for name in try texts(key, value, "file names") {
      result += PinnedCertificates.pins(among: try certificates(file: name))
    }
    return result
  }

  private func certificates(_ key: String, _ value: Any) throws(AFSecurityError) -> [AFCertificate] {
    var result: [AFCertificate] = []
    for name in try texts(key, value, "file names") { result += try certificates(file: name) }
    return result
  }

  private func certificates(file name: String) throws(AFSecurityError) -> [AFCertificate] {
    try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: name, relativeTo: directory))
  }

  /// More entries than anybody has; a file that names more does not get to have them read.
  private static let maximumCount = 1000

  private func texts(_ key: String, _ value: Any, _ what: String) throws(AFSecurityError) -> [String] {
    guard let texts = value as? [String], texts.count <= Self.maximumCount else {
      throw wrong(key, "an array of at most \(Self.maximumCount) \(what)")
    }
    return texts
  }

  /// A day (its end, in UTC), or a moment, in the forms of RFC 3339.
  private func date(_ key: String, _ value: Any) throws(AFSecurityError) -> Date {
    guard let text = value as? String else { throw wrong(key, "a date such as \"2030-12-31\"") }
    let isDay = text.utf8.count == 10
    guard let date = ISO8601DateFormatter().date(from: isDay ? text + "T23:59:59Z" : text) else {
      throw wrong(key, "a date such as \"2030-12-31\", or with a time, \"2030-12-31T12:00:00Z\"")
    }
    return date
  }

  private func url(_ key: String, _ value: Any) throws(AFSecurityError) -> URL {
    guard let url = (value as? String).flatMap({ URL(string: $0) }),
      ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else { throw wrong(key, "an http or https URL") }
    return url
  }

  private func wrong(_ key: String, _ expected: String) -> AFSecurityError {
    AFSecurityError(.invalidPolicyFile, "'\(key)' must be \(expected)")
  }
}
