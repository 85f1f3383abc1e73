import AFArguments
import AFSecurity
import AFSupport
import Foundation

/// The options about who the server must be, and who we are for it.
enum TrustOptions {
  static func policy(_ arguments: Arguments, _ environment: [String: String]) throws(ToolFailure) -> AFSecurityPolicy {
    let passphrase =
      if let file = arguments.text(.passphraseFile) { try SmallFile.secret(file, "passphrase") } else {
        environment["AFNET_PASSPHRASE"]
      }
    let files = try identityFiles(arguments)
    do throws(AFSecurityError) {
      let policy: AFSecurityPolicy
      if let file = arguments.text(.policy) {
        policy = try AFSecurityPolicy.policy(contentsOf: URL(fileURLWithPath: file))
      } else if arguments.has(.pin) {
        var pins: Set<AFPublicKeyPin> = []
        for text in arguments.all(.pin) { pins.insert(try AFPublicKeyPin(text)) }
        policy = AFSecurityPolicy(publicKeyPins: pins)
      } else {
        policy = AFSecurityPolicy.default()
      }
      if let file = arguments.text(.caCertificates) {
        policy.anchorCertificates = try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: file))
        policy.usesSystemAnchors = false
      }
      if arguments.has(.tls13) { policy.minimumTLSVersion = .tls13 }
      policy.clientIdentity = try identity(arguments, files, passphrase)
      return policy
    } catch {
      switch error.code {
      case .invalidPin: throw .usage("--pin: \(error)")
      case .unreadableFile: throw ToolFailure(.file, "\(error)")
      default: throw .usage("\(error)")
      }
    }
  }

  /// The client's certificate and key where they are in two files.
  private static func identityFiles(_ arguments: Arguments) throws(ToolFailure) -> (certificate: Data, key: Data)? {
    guard let certificate = arguments.text(.certificate), let key = arguments.text(.key) else {
      if arguments.has(.key) { throw .usage("--key needs --cert, the certificate of the key") }
      return nil
    }
    do {
      return (try SmallFile.read(certificate, limit: 1 << 24), try SmallFile.read(key, limit: 1 << 24))
    } catch {
      throw ToolFailure(.file, "the client certificate cannot be read: \(error)")
    }
  }

  private static func identity(
    _ arguments: Arguments, _ files: (certificate: Data, key: Data)?, _ passphrase: String?
  ) throws(AFSecurityError) -> AFClientIdentity? {
    if let files {
      return try AFClientIdentity(certificatePEM: files.certificate, privateKeyPEM: files.key, passphrase: passphrase)
    }
    guard let file = arguments.text(.pkcs12) ?? arguments.text(.certificate) else { return nil }
    return try AFClientIdentity(contentsOf: URL(fileURLWithPath: file), passphrase: passphrase)
  }
}
