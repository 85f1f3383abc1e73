import AFSupport
import Foundation

extension AFTransferRequest {
  /// Fields that hold credentials, whatever the caller consents to.
  private static let credentialFields: Set<String> = ["authorization", "proxy-authorization", "cookie"]

  /// Why the request must not be made durable as it is; nil if it may.
  var refusal: AFTransferError? {
    let text = url.absoluteString
    guard Origin(text) != nil else {
      return AFTransferError(.invalidRequest, "\(text.redactedURL) is no http or https URL")
    }
    guard text == text.withoutUserInfo else {
      return AFTransferError(.invalidRequest, "the URL has a user or a password in it: name credentials instead")
    }
    guard file.isFileURL else { return AFTransferError(.invalidRequest, "\(file.scheme ?? "nothing") names no file") }
    if HTTPHeaderValidation.fault(inMethod: method) != nil || method.isEmpty {
      return AFTransferError(.invalidRequest, "the method is no token")
    }
    for (name, value) in headers {
      if HTTPHeaderValidation.fault(inField: name, value: value) != nil {
        return AFTransferError(.invalidRequest, "the header field \(name.printable()) is malformed")
      }
      if Self.credentialFields.contains(name.lowercased()) || (!storesSecrets && Secrets.isSecretField(name)) {
        return AFTransferError(.invalidRequest, "\(name) would be stored in clear text: name credentials instead")
      }
    }
    guard storesSecrets || text.redactedURL == text else {
      return AFTransferError(
        .invalidRequest, "the URL has what looks like a secret in it, and would be stored: see storesSecrets")
    }
    guard lifetime > 0 else { return AFTransferError(.invalidRequest, "the lifetime is over before it begins") }
    for name in [securityPolicy, credentials, verification] where name.map(Self.isName) == false {
      return AFTransferError(.invalidRequest, "names have letters, digits, '-', '_' and '.' alone")
    }
    return nil
  }

  /// Whether a name may stand in a path.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 128 && !name.hasPrefix(".")
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
      }
  }
}
