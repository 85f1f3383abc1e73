internal import Foundation

extension ParameterFlattener {
  /// How a key, or the member of a set, is written for sorting and naming.
  static func text(of value: Any) -> String {
    if let text = value as? String { return text }
    if let hashable = value as? AnyHashable { return ParameterValue(hashable.base).text(booleans: .numeric) ?? "" }
    return ParameterValue(value).text(booleans: .numeric) ?? ""
  }

  /// Sorts by text as Foundation compares strings: by code, upper case first, `é` before `z`.
  static func sort<Element>(_ elements: inout [Element], by text: KeyPath<Element, String>) {
    guard elements.count > 1 else { return }
    if elements.allSatisfy({ $0[keyPath: text].utf8.allSatisfy { $0 < 128 } }) {
      elements.sort { $0[keyPath: text] < $1[keyPath: text] }
    } else {
      elements.sort { $0[keyPath: text].compare($1[keyPath: text]) == .orderedAscending }
    }
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
    case .floatingPoint(_, let description):
      description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    case .data(let data): data.base64EncodedString()
    case .date(let date): date.description
    case .array(let elements): String(describing: elements)
    case .set(let members): String(describing: members)
    case .dictionary(let entries): String(describing: entries.map(\.key))
    case .bottomless: ""
    case .opaque(let type): String(describing: type)
    }
  }
}
