internal import Foundation

extension ParameterFlattener {
  /// How a key, or the member of a set, is written for sorting and naming.
  static func text(of value: Any) -> String {
    if let text = value as? String { return text }
    return ParameterValue(value).text(booleans: .numeric) ?? ""
  }

  /// Sorted by name as Foundation compares strings: by code, upper case first, `é` before `z`.
  static func sorted(_ entries: [ParameterValue.Entry]) -> [ParameterValue.Entry] {
    guard entries.count > 1 else { return entries }
    // Of ASCII texts Swift's order is the same, and found much faster.
    if entries.allSatisfy({ $0.name.utf8.allSatisfy { $0 < 128 } }) {
      return entries.sorted { $0.name < $1.name }
    }
    return entries.sorted { $0.name.compare($1.name) == .orderedAscending }
  }
}

extension ParameterValue {
  /// The value as a form or query string has it; nil for a null, which is a name without a value.
  package func text(booleans: AFQueryStringEncoding.Booleans) -> String? {
    switch self {
    case .null: nil
    case .text(let text), .integer(let text), .described(let text): text
    case .boolean(let flag):
      switch booleans {
      case .numeric: flag ? "1" : "0"
      case .literal: flag ? "true" : "false"
      }
    case .floatingPoint(let number, let description):
      Self.decimalText(of: number, description)
    case .data(let data): data.base64EncodedString()
    case .date(let date): date.description
    case .array(let elements): String(describing: elements)
    case .set(let members): String(describing: members)
    case .dictionary(let entries): String(describing: entries.map(\.name))
    case .bottomless: ""
    case .opaque(let type): String(describing: type)
    }
  }

  /// A number as AFNetworking's Foundation wrote it: without a point where there is nothing behind it.
  private static func decimalText(of number: Double, _ description: String) -> String {
    if description.hasSuffix(".0") { return String(description.dropLast(2)) }
    return wholeNumber(number).map(String.init) ?? description
  }

  /// A number that Swift writes with an exponent, from 2^54 on, and Apple's Foundation, up to 10^17, without.
  static func wholeNumber(_ number: Double) -> Int64? {
    guard abs(number) >= 0x1p54, abs(number) < 1e17 else { return nil }
    return Int64(exactly: number)
  }
}
