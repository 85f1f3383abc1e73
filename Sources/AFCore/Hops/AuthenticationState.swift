import AFTransport
import Foundation
import FoundationNetworking

/// How far the authentication of one task with one ``Asker`` has come.
struct AuthenticationState: Sendable {
  /// How often credentials were refused.
  var failures = 0
  /// The credentials of the running hop, if it has any of ours.
  var current: URLCredential?
  /// What libcurl is to compute for the next hop.
  var transfer: TransferAuthentication?
}

/// One way of authenticating that a server offers (RFC 9110 §11.3).
struct AuthenticationOffer: Sendable, Equatable {
  enum Scheme: Int, Sendable { case basic, ntlm, digest, negotiate }

  var scheme: Scheme
  var realm: String?

  /// Foundation's name for the method.
  var method: String {
    switch scheme {
    case .basic: NSURLAuthenticationMethodHTTPBasic
    case .digest: NSURLAuthenticationMethodHTTPDigest
    case .ntlm: NSURLAuthenticationMethodNTLM
    case .negotiate: NSURLAuthenticationMethodNegotiate
    }
  }

  /// Every offer in the values of a WWW-Authenticate or Proxy-Authenticate field, best first.
  static func all(in values: [String]) -> [AuthenticationOffer] {
    values.flatMap { offers(in: $0) }.enumerated()
      .sorted { ($1.element.scheme.rawValue, $0.offset) < ($0.element.scheme.rawValue, $1.offset) }
      .map(\.element)
  }

  /// Splits one value at the scheme names; commas separate parameters as well as challenges.
  private static func offers(in value: String) -> [AuthenticationOffer] {
    var found: [AuthenticationOffer] = []
    for item in commaSeparated(value) {
      let words = item.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard let first = words.first else { continue }
      var parameter = Substring(item)
      if !first.contains("=") {
        let scheme: Scheme? =
          switch first.lowercased() {
          case "basic": .basic
          case "digest": .digest
          case "ntlm": .ntlm
          case "negotiate": .negotiate
          default: nil
          }
        guard let scheme else {
          found.append(AuthenticationOffer(scheme: .basic, realm: unknownScheme))
          continue
        }
        found.append(AuthenticationOffer(scheme: scheme))
        parameter = words.count > 1 ? words[1] : ""
      }
      guard let equals = parameter.firstIndex(of: "="), !found.isEmpty, found[found.count - 1].realm == nil,
        parameter[..<equals].trimmingCharacters(in: .whitespaces).lowercased() == "realm"
      else { continue }
      found[found.count - 1].realm = unquoted(
        parameter[parameter.index(after: equals)...].trimmingCharacters(in: .whitespaces))
    }
    return found.filter { $0.realm != unknownScheme }
  }

  private static let unknownScheme = "\u{0}"

  private static func commaSeparated(_ text: String) -> [String] {
    var items: [String] = []
    var item = ""
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == ",", !isQuoted {
        items.append(item.trimmingCharacters(in: .whitespaces))
        item = ""
        continue
      }
      if isEscaped {
        isEscaped = false
      } else if character == "\\", isQuoted {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      }
      item.append(character)
    }
    items.append(item.trimmingCharacters(in: .whitespaces))
    return items.filter { !$0.isEmpty }
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
    var result = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}
