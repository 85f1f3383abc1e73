import AFArguments
import AFSupport
import Foundation

/// Who the user is, for the server: out of files and the environment, since every user of a system can read command lines.
enum Credentials: Sendable, Equatable {
  case none
  case token(String)
  case login(Login)
  /// The text of a netrc file, and the user whose entries count.
  case netrc(String)

  init(_ arguments: Arguments, _ environment: [String: String]) throws(ToolFailure) {
    if let file = arguments.text(.tokenFile) {
      self = .token(try SmallFile.secret(file, "token"))
    } else if arguments.has(.token) {
      guard let token = environment["AFNET_TOKEN"], !token.isEmpty else {
        throw .usage("--token needs AFNET_TOKEN in the environment; --token-file FILE reads a file")
      }
      self = .token(token)
    } else if let user = arguments.text(.user) {
      self = .login(Login(user: user, password: try Self.password(of: user, arguments, environment)))
    } else if arguments.has(.netrc) || arguments.has(.netrcFile) {
      let home = environment["HOME"] ?? ""
      let path = arguments.text(.netrcFile) ?? environment["NETRC"] ?? "\(home)/.netrc"
      do {
        self = .netrc(String(decoding: try SmallFile.read(path, limit: 1 << 20), as: UTF8.self))
      } catch {
        throw ToolFailure(.file, "the netrc file cannot be read: \(error)")
      }
    } else {
      self = .none
    }
  }

  private static func password(
    of user: String, _ arguments: Arguments, _ environment: [String: String]
  ) throws(ToolFailure) -> String {
    guard !user.contains(":") else {
      throw .usage(
        "--user takes the name alone: every user of this system can read a password in a command line. AFNET_PASSWORD or "
          + "--password-file has it")
    }
    if let file = arguments.text(.passwordFile) { return try SmallFile.secret(file, "password") }
    guard let password = environment["AFNET_PASSWORD"] else {
      throw .usage("--user needs a password, in AFNET_PASSWORD or in --password-file FILE")
    }
    return password
  }

  /// The target and the header fields with which its request is made.
  func applied(to target: Target) -> (target: Target, fields: [HeaderField]) {
    switch self {
    case .none: (target, [])
    case .token(let token): (target, [HeaderField(name: "Authorization", value: "Bearer \(token)")])
    case .login(let login): (target.with(login), [])
    case .netrc(let text):
      (Netrc.login(text, host: target.host, user: target.url.user).map { target.with($0) } ?? target, [])
    }
  }
}
