import AFSupport
import Foundation

/// The file of logins that ftp(1) began and curl reads: `machine NAME login USER password WORD`, and `default`.
enum Netrc {
  /// The login for a host; nil if the file has none. Of a `user`, only the entry of that name counts.
  static func login(_ text: String, host: String, user: String? = nil) -> Login? {
    var words = tokens(text)[...]
    var candidate: (login: String?, password: String?)?
    func complete() -> Login? {
      guard let found = candidate, let password = found.password else { return nil }
      if let user, found.login != user { return nil }
      return Login(user: found.login ?? "", password: password)
    }
    while let word = words.popFirst() {
      switch word.text {
      case "machine" where !word.isQuoted:
        if let login = complete() { return login }
        candidate = words.popFirst()?.text.lowercased() == host.lowercased() ? (nil, nil) : nil
      case "default" where !word.isQuoted:
        if let login = complete() { return login }
        candidate = (nil, nil)
      case "login" where !word.isQuoted:
        let value = words.popFirst()?.text
        if candidate != nil { candidate?.login = value }
      case "password" where !word.isQuoted:
        let value = words.popFirst()?.text
        if candidate != nil { candidate?.password = value }
      case "account" where !word.isQuoted: _ = words.popFirst()
      default: break
      }
    }
    return complete()
  }

  private struct Word {
    var text = ""
    var isQuoted = false
  }

  /// Words; in quotes they may hold spaces, quotes (`\"`) and line ends (`\n`). A macro goes up to the next empty line, and a comment
  /// to the end of its line.
  private static func tokens(_ text: String) -> [Word] {
    var words: [Word] = []
    var rest = Substring(text)
    while let character = rest.first {
      if character.isWhitespace {
        rest.removeFirst()
      } else if character == "#" {
        rest = rest.drop { !$0.isNewline }
      } else if character == "\"" {
        rest.removeFirst()
        var word = Word(isQuoted: true)
        while let next = rest.popFirst(), next != "\"" {
          guard next == "\\", let escaped = rest.popFirst() else {
            word.text.append(next)
            continue
          }
          word.text.append(escaped == "n" ? "\n" : escaped == "r" ? "\r" : escaped == "t" ? "\t" : escaped)
        }
        words.append(word)
      } else {
        let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
        let word = String(rest[..<end])
        rest = rest[end...]
        if word == "macdef" {
          rest = rest.firstRange(of: "\n\n").map { rest[$0.upperBound...] } ?? ""
        } else {
          words.append(Word(text: word))
        }
      }
    }
    return words
  }
}
