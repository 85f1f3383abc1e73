/// Header fields in the order they were set, found by name without regard to ASCII letter case (RFC 9110 §5.1).
///
/// A request has few fields, so a search through an array beats hashing.
package struct HTTPHeaderFields: Sendable, Hashable {
  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field] = []

  package init() {}

  /// The fields of a dictionary, by name. Of two names that differ in letter case only, the last in that order counts.
  package init(_ dictionary: [String: String]) {
    for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      self[name] = value
    }
  }

  /// The value of a field, or nil. Setting nil removes the field; setting a value keeps the field's place in the order and
  /// takes over the new spelling of its name.
  package subscript(name: String) -> String? {
    get { index(of: name).map { fields[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): fields[index] = Field(name: name, value: value)
      case (let index?, nil): fields.remove(at: index)
      case (nil, let value?): fields.append(Field(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The fields as a dictionary under the names they were last set with.
  package var dictionary: [String: String] {
    Dictionary(fields.lazy.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  private func index(of name: String) -> Int? {
    fields.firstIndex { Self.isSame($0.name, name) }
  }

  /// Whether two field names are the same but for ASCII letter case.
  package static func isSame(_ first: String, _ second: String) -> Bool {
    let first = first.utf8
    let second = second.utf8
    guard first.count == second.count else { return false }
    return zip(first, second).allSatisfy { $0 == $1 || lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }
}

extension HTTPHeaderFields: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { fields.count }
  package subscript(position: Int) -> Field { fields[position] }
}
