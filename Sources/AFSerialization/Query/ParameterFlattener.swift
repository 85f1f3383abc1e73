internal import Foundation

/// Turns nested parameters into the flat list of names and values that a form or query string is.
///
/// Dictionaries are visited by key, in the order of the keys' texts with upper case first; arrays in their order; sets in
/// the order of their members' texts. `{"a": {"b": [1, 2]}}` becomes `a[b][]` = 1, `a[b][]` = 2.
package struct ParameterFlattener {
  /// How deep parameters may be nested: as deep as Foundation's JSON reader goes.
  package static let maximumDepth = 512
  static let tooDeep = "holds itself or is nested deeper than \(maximumDepth) levels"

  package let encoding: AFQueryStringEncoding
  /// Whether what cannot be expressed is described or left out, for want of a way to say so.
  package let isLenient: Bool
  package init(encoding: AFQueryStringEncoding, isLenient: Bool = false) {
    self.encoding = encoding
    self.isLenient = isLenient
  }

  /// Calls `visit` for each name and value; the value is never an array, set or dictionary.
  /// - Throws: `AFURLRequestSerializationError` for parameters that are no dictionary and no single value, for those that
  ///   are nested too deeply or hold themselves; and what `visit` throws.
  package func flatten(
    _ parameters: Any,
    visit: (_ name: String, _ value: ParameterValue) throws -> Void
  ) throws {
    switch ParameterValue(parameters) {
    case .dictionary(let entries):
      try flatten(entries, name: nil, depth: 0, visit: visit)
    case .bottomless:
      guard isLenient else { throw tooDeep("") }
    case .array, .set:
      throw fault("", "of a query or form must be a dictionary, not an array or set")
    case let value:
      try visit("", value)
    }
  }

  private func flatten(
    _ entries: [ParameterValue.Entry],
    name: String?,
    depth: Int,
    visit: (String, ParameterValue) throws -> Void
  ) throws {
    guard try canEnter(name ?? "", depth: depth) else { return }
    for entry in Self.sorted(entries) {
      let name = name.map { "\($0)[\(entry.name)]" } ?? entry.name
      try flatten(ParameterValue(entry.value), name: name, depth: depth + 1, visit: visit)
    }
  }

  private func flatten(
    _ value: ParameterValue,
    name: String,
    depth: Int,
    visit: (String, ParameterValue) throws -> Void
  ) throws {
    switch value {
    case .dictionary(let entries):
      try flatten(entries, name: name, depth: depth, visit: visit)
    case .array(let elements):
      guard try canEnter(name, depth: depth) else { return }
      for (index, element) in elements.enumerated() {
        let name =
          switch encoding.arrays {
          case .brackets: name + "[]"
          case .repeatedKey: name
          case .indices: "\(name)[\(index)]"
          }
        try flatten(ParameterValue(element), name: name, depth: depth + 1, visit: visit)
      }
    case .set(let members):
      guard try canEnter(name, depth: depth) else { return }
      for member in Self.sorted(members.map { ParameterValue.Entry(name: Self.text(of: $0), value: $0) }) {
        try flatten(ParameterValue(member.value), name: name, depth: depth + 1, visit: visit)
      }
    case .bottomless:
      guard isLenient else { throw tooDeep(name) }
    case .opaque(let type) where !isLenient:
      throw fault(name, "is a \(type), which has no text form; encode it first")
    default:
      try visit(name, value)
    }
  }

  private func canEnter(_ name: String, depth: Int) throws -> Bool {
    if depth < Self.maximumDepth { return true }
    guard isLenient else { throw tooDeep(name) }
    return false
  }

  private func tooDeep(_ path: String) -> AFURLRequestSerializationError {
    fault(path, Self.tooDeep)
  }

  private func fault(_ path: String, _ problem: String) -> AFURLRequestSerializationError {
    AFURLRequestSerializationError(.invalidParameter(path: path, problem: problem))
  }
}
