import AFSecurity
import AFSupport
import Foundation

extension Subcommand {
  /// `afnet pin`: what to pin, and whether a policy would accept a server.
  static let pin = Subcommand(
    name: "pin", summary: "Shows the pins of servers and certificate files, and tries policy files.",
    help: """
      Usage: afnet pin HOST[:PORT] | FILE | -...
             afnet pin HOST[:PORT] --check POLICY

      Shows each certificate that a server sends or a file holds (DER or PEM; '-' is standard input): names, days, and the
      pin of its key, as sha256/BASE64, in curl's form and in hexadecimal; then a Swift snippet that
      pins it. Nothing is sent to the server beyond the TLS handshake.

      Options:
        --check POLICY      Judge the host by a policy file; print why it is refused.
        --policy            Print a policy file that pins the key, instead of the report.
        --with-issuer       Take the issuer's key for a backup pin. It pins every server that the issuer
                            certifies; the pin of a key of your own that is kept offline is better.
        --servername NAME   Ask for NAME in the handshake, and check it with --check. Without it the names in a
                            file are not checked.
        --timeout SECONDS   For connecting and the handshake. Default: 15.

      A name with a file of that name in the current directory is the file; ./NAME always is.
      Exit status: 0 shown or accepted, 1 unreachable, unreadable or refused, 2 wrong command line.
      """,
    run: { arguments in try await PinCommand(arguments).run() })
}

/// One run of `afnet pin`.
struct PinCommand {
  private var targets: [PinTarget] = []
  private var policyFile: String?
  private var printsPolicy = false
  private var usesIssuer = false
  private var serverName: String?
  private var timeout: TimeInterval = 15

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--check": policyFile = try value(of: word)
      case "--policy": printsPolicy = true
      case "--with-issuer": usesIssuer = true
      case "--servername": serverName = try value(of: word)
      case "--timeout":
        let text = try value(of: word)
        guard let seconds = TimeInterval(text), seconds > 0, seconds <= 3600 else {
          throw UsageError("--timeout needs seconds, up to 3600, not '\(text)'")
        }
        timeout = seconds
      case _ where word.hasPrefix("-") && word != "-": throw UsageError("no option '\(word)'")
      default: targets.append(try PinTarget(word))
      }
    }
    guard !targets.isEmpty else { throw UsageError("a host or a file is missing") }
    guard policyFile == nil || !printsPolicy else { throw UsageError("--check and --policy exclude each other") }
    guard !printsPolicy || targets.count == 1 else { throw UsageError("--policy is for one host or file") }
  }

  func run() async -> ExitStatus {
    var status = ExitStatus.success
    for target in targets {
      do throws(AFSecurityError) {
        if let policyFile {
          try await check(target, against: policyFile)
        } else {
          try await show(target)
        }
      } catch {
        let lines = error.detailedDescription.split(separator: "\n").map { String($0).printable() }
        printError("afnet pin: \(lines.joined(separator: "\n"))")
        status = .failure
      }
    }
    return status
  }

  private func show(_ target: PinTarget) async throws(AFSecurityError) {
    let certificates: [AFCertificate]
    let subject: String
    switch target {
    case .file(let url):
      certificates = try AFCertificate.certificates(contentsOf: url)
      subject = "\(url.relativePath) holds"
    case .standardInput:
      certificates = try Self.certificatesOfStandardInput()
      subject = "standard input holds"
    case .host(let host, let port):
      certificates = try await presented(host, port, policy: nil).certificates
      subject = "\(host) port \(port) sent"
    }
    let report = PinReport(certificates: certificates, usesIssuer: usesIssuer)
    if printsPolicy {
      print(report.policyFile)
      return
    }
    print("\(subject.printable()) \(certificates.count) certificate\(certificates.count == 1 ? "" : "s")\n")
    print(report.text)
    if case .host(let host, _) = target { print(report.verdict(of: .default(), host: serverName ?? host) + "\n") }
    print(report.swiftSnippet)
  }

  private func check(_ target: PinTarget, against file: String) async throws(AFSecurityError) {
    let policy = try AFSecurityPolicy.policy(contentsOf: URL(fileURLWithPath: file))
    let trust: AFServerTrust
    let name: String?
    switch target {
    case .file(let url):
      trust = AFServerTrust(certificates: try AFCertificate.certificates(contentsOf: url))
      name = serverName
    case .standardInput:
      trust = AFServerTrust(certificates: try Self.certificatesOfStandardInput())
      name = serverName
    case .host(let host, let port):
      trust = try await presented(host, port, policy: policy)
      name = serverName ?? host
    }
    let result = try policy.evaluate(trust, forDomain: name)
    let pin = result.matchedPin.map { ", matched \($0)" } ?? ""
    let backup = result.matchedBackupPin ? " (a backup pin: time to make a new one)" : ""
    let names = name == nil ? ", its names were not checked (--servername NAME checks them)" : ""
    print("\(target): accepted\(pin)\(backup)\(names)".printable())
  }

  /// At most so much is read: chains are small.
  private static func certificatesOfStandardInput() throws(AFSecurityError) -> [AFCertificate] {
    var data = Data()
    while data.count <= 16 << 20, let more = try? FileHandle.standardInput.read(upToCount: 1 << 20), !more.isEmpty {
      data.append(more)
    }
    return try AFCertificate.certificates(in: data)
  }

  private func presented(
    _ host: String, _ port: Int, policy: AFSecurityPolicy?
  ) async throws(AFSecurityError) -> AFServerTrust {
    try await AFServerTrust.presented(
      by: host, port: port, serverName: serverName, policy: policy, timeout: timeout)
  }
}
