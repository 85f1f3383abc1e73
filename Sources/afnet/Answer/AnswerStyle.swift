import AFArguments
import Foundation

/// How an answer is shown.
struct AnswerStyle: Sendable, Equatable {
  /// Whether standard output is a terminal that must be protected.
  let isGuarded: Bool
  let laysOutJSON: Bool
  let hasColours: Bool

  init(_ arguments: Arguments, isTerminal: Bool, _ environment: [String: String]) {
    isGuarded = isTerminal && !arguments.has(.raw)
    laysOutJSON =
      switch arguments.text(.pretty) {
      case "always": true
      case "never": false
      default: isGuarded
      }
    hasColours =
      switch arguments.text(.color) {
      case "always": true
      case "never": false
      default: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
      }
  }

  /// JSON of up to so many bytes is laid out; more is shown as it comes.
  static let layoutLimit = 16 << 20

  static func isJSON(_ contentType: String?) -> Bool {
    guard let type = contentType?.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased() else {
      return false
    }
    return type == "application/json" || type.hasSuffix("+json") || type == "text/json"
  }
}
