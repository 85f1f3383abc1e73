import AFSecurity
import AFSupport
import Foundation

/// What `afnet pin` says about a list of certificates.
struct PinReport {
  let certificates: [AFCertificate]
  /// Whether the issuer's key is to be the backup.
  var usesIssuer = false

  /// One paragraph per certificate.
  var text: String { certificates.enumerated().map(paragraph).joined(separator: "\n") }

  private func paragraph(_ index: Int, _ certificate: AFCertificate) -> String {
    let pin = certificate.publicKeyPin
    var rows = [("subject", certificate.subject), ("issuer", certificate.issuer)]
    if !certificate.hostNames.isEmpty { rows.append(("names", certificate.hostNames.joined(separator: ", "))) }
    rows += [
      ("serial", certificate.serialNumber), ("valid", validity(certificate)),
      ("key", "\(certificate.publicKeyDescription), signed with \(certificate.signatureAlgorithm)"),
      ("pin", pin.description), ("curl", pin.curlDescription), ("hex", pin.hexDescription),
    ]
    let lines = rows.map { "   \($0.0.padding(toLength: 9, withPad: " ", startingAt: 0))\($0.1.printable())\n" }
    return "\(index)\n" + lines.joined()
  }

  private func validity(_ certificate: AFCertificate) -> String {
    let days = Int((certificate.notValidAfter.timeIntervalSinceNow / 86_400).rounded(.down))
    let state =
      if certificate.notValidAfter < Date() {
        "expired"
      } else if certificate.notValidBefore > Date() {
        "not yet valid"
      } else {
        "\(days) day\(days == 1 ? "" : "s") left"
      }
    return "\(day(certificate.notValidBefore)) to \(day(certificate.notValidAfter)), \(state)"
  }

  private func day(_ date: Date) -> String { String(ISO8601DateFormatter().string(from: date).prefix(10)) }

  /// Whether `policy` accepts the certificates for `host`, in one line.
  func verdict(of policy: AFSecurityPolicy, host: String) -> String {
    do throws(AFSecurityError) {
      try policy.evaluate(AFServerTrust(certificates: certificates), forDomain: host)
      return "This system trusts it for \(host)."
    } catch {
      return "This system does not trust it: \(error)."
    }
  }

  /// The pin to use and, if it was asked for, the one that stands in for a backup until there is a real one.
  private var pins: (own: AFCertificate, above: AFCertificate?)? {
    certificates.first.map { ($0, usesIssuer ? certificates.dropFirst().first : nil) }
  }

  /// Code that pins the first key.
  var swiftSnippet: String {
    guard let pins else { return "" }
    var lines = ["let policy = AFSecurityPolicy("]
    if let above = pins.above {
      lines += [
        "  publicKeyPins: [try AFPublicKeyPin(\"\(pins.own.publicKeyPin)\")],",
        "  // The issuer's key, which pins every server that it certifies. Better: the pin of a key of your own that is kept offline.",
        "  backupPins: [try AFPublicKeyPin(\"\(above.publicKeyPin)\")])",
      ]
    } else {
      lines += [
        "  publicKeyPins: [try AFPublicKeyPin(\"\(pins.own.publicKeyPin)\")],",
        "  backupPins: [])  // the pin of a key of your own that is kept offline",
      ]
    }
    return lines.joined(separator: "\n")
  }

  /// A policy file that pins the first key.
  var policyFile: String {
    guard let pins else { return "{}" }
    let backup = pins.above.map { "\"\($0.publicKeyPin)\"" } ?? ""
    let about =
      pins.above.map {
        "The backup is the key of the issuer, \($0.subject.printable()): it pins every server that the issuer certifies."
      } ?? "There is no backup. Add the pin of a key of your own that is kept offline."
    return """
      {
        "notes": [\(quoted("The key of \(pins.own.subject.printable()).")), \(quoted(about))],
        "mode": "publicKey",
        "publicKeyPins": ["\(pins.own.publicKeyPin)"],
        "backupPublicKeyPins": [\(backup)]
      }
      """
  }

  private func quoted(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: [text], options: [.withoutEscapingSlashes])
    return String(decoding: (data ?? Data("[\"\"]".utf8)).dropFirst().dropLast(), as: UTF8.self)
  }
}
