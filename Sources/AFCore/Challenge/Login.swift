import Foundation
import FoundationNetworking

/// A user and a password. Shows neither.
struct Login: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  let user: String
  let password: String

  /// Text beyond ASCII in its composed form, as both RFC 7617 §2.1 and RFC 7616 §4 have it.
  init(user: String, password: String) {
    self.user = user.composed
    self.password = password.composed
  }

  /// Nil if the credential lacks either.
  init?(_ credential: URLCredential) {
    guard let user = credential.user, let password = credential.password else { return nil }
    self.init(user: user, password: password)
  }

  var credential: URLCredential { URLCredential(user: user, password: password, persistence: .none) }

  /// The field of the scheme Basic (RFC 7617 §2), in UTF-8; nil if the user cannot be told from the password in it.
  var basicField: String? {
    guard !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  var description: String { "a user and a password" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension String {
  fileprivate var composed: String {
    utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
  }
}
