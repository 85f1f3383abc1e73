import AFArguments
import AFSecurity
import AFSupport
import Foundation

extension CommandOption {
  fileprivate static let check = CommandOption(
    "check", nil, .file, excludes: ["policy"], help: "Judge the host by a policy file; print why it is refused.")
  fileprivate static let printPolicy = CommandOption(
    "policy", nil, help: "Print a policy file that pins the key, instead of the report.")
  fileprivate static let withIssuer = CommandOption(
    "with-issuer", nil,
    help:
      "Take the issuer's key for a backup pin. It pins every server that the issuer certifies; the pin of a key of your own that "
      + "is kept offline is better.")
  fileprivate static let serverName = CommandOption(
    "servername", nil, .text("NAME"),
    help: "Ask for NAME in the handshake, and check it with --check. Without it the names in a file are not checked.")
  fileprivate static let pinTimeout = CommandOption(
    "timeout", nil, .seconds(upTo: 3600), help: "For connecting and the handshake. Default: 15.")
}

extension Subcommand {
  /// `afnet pin`: what to pin, and whether a policy would accept a server.
  static let pin = Subcommand(
    command: Command(
      "pin", "shows the pins of servers and certificate files, and tries policy files",
      operands: [Operand("HOST", .oneOrMore, completion: .files)],
      groups: [OptionGroup("Options", [.check, .printPolicy, .withIssuer, .serverName, .pinTimeout])],
      examples: [
        Command.Example("afnet pin example.org", "The chain that the server sends, and the pin of each key."),
        Command.Example("afnet pin example.org --policy > policy.json", "A policy file that pins the key."),
        Command.Example(
          "afnet pin example.org --check policy.json", "Whether the policy accepts the server, and why not."),
      ],
      details: [
        "HOST is a name or an address, with :PORT if that is not 443, an https URL, a file (DER or PEM), or '-' for standard input. A "
          + "name with a file of that name in the current directory is the file; ./NAME always is.",
        "Shows each certificate that a server sends or a file holds: names, days, and the pin of its key, as sha256/BASE64, in curl's "
          + "form and in hexadecimal; then a Swift snippet that pins it. Nothing is sent to the server beyond the TLS handshake.",
      ],
      exitStatus: "0 shown or accepted, 1 unreachable, unreadable or refused, 2 wrong command line."),
    run: { arguments in try await PinCommand(arguments).run() })
}

/// One run of `afnet pin`.
struct PinCommand {
  private let targets: [PinTarget]
  private let policyFile: String?
  private let printsPolicy: Bool
  private let usesIssuer: Bool
  private let serverName: String?
  private let timeout: TimeInterval

  init(_ arguments: Arguments) throws(ToolFailure) {
    var targets: [PinTarget] = []
    for word in arguments.operands { targets.append(try PinTarget(word)) }
    self.targets = targets
    policyFile = arguments.text(.check)
    printsPolicy = arguments.has(.printPolicy)
    usesIssuer = arguments.has(.withIssuer)
    serverName = arguments.text(.serverName)
    timeout = arguments.seconds(.pinTimeout) ?? 15
    guard timeout > 0 else { throw .usage("--timeout needs more than 0 seconds") }
    guard !printsPolicy || targets.count == 1 else { throw .usage("--policy is for one host or file") }
  }

  func run() async throws(ToolFailure) -> ExitStatus {
    var status = ExitStatus.success
    for target in targets {
      let answer: String
      do throws(AFSecurityError) {
        if let policyFile {
          answer = try await check(target, against: policyFile)
        } else {
          answer = try await report(target)
        }
      } catch {
        let lines = error.detailedDescription.split(separator: "\n").map { String($0).printable() }
        Console.note("afnet pin: \(lines.joined(separator: "\n"))")
        status = .failure
        continue
      }
      try Console.print(answer)
    }
    return status
  }

  private func report(_ target: PinTarget) async throws(AFSecurityError) -> String {
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
    if printsPolicy { return report.policyFile }
    let count = "\(certificates.count) certificate\(certificates.count == 1 ? "" : "s")"
    var parts = ["\(subject.printable()) \(count)\n", report.text]
    if case .host(let host, _) = target {
      parts.append(report.verdict(of: .default(), host: serverName ?? host) + "\n")
    }
    return (parts + [report.swiftSnippet]).joined(separator: "\n")
  }

  private func check(_ target: PinTarget, against file: String) async throws(AFSecurityError) -> String {
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
    return "\(target): accepted\(pin)\(backup)\(names)".printable()
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
