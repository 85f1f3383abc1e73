/// Header blocks (RFC 7541), as plain as they can be written: every field a literal, no Huffman code.
package enum HPACK {
  /// A block with these fields, none of which enters the dynamic table. `:status` and its kind come first.
  package static func block(_ fields: [(name: String, value: String)]) -> [UInt8] {
    fields.flatMap { [0x00] + string($0.name) + string($0.value) }
  }

  /// A field that enters the dynamic table, so that ``indexed(_:)`` can repeat it with one byte.
  package static func remembered(_ name: String, _ value: String) -> [UInt8] {
    [0x40] + string(name) + string(value)
  }

  /// The field at this place of the table; the newest one of the dynamic table is 62.
  package static func indexed(_ index: Int) -> [UInt8] { integer(index, prefix: 7, flags: 0x80) }

  private static func string(_ text: String) -> [UInt8] {
    integer(text.utf8.count, prefix: 7, flags: 0) + Array(text.utf8)
  }

  /// An integer with a prefix of so many bits (section 5.1).
  private static func integer(_ value: Int, prefix: Int, flags: UInt8) -> [UInt8] {
    let limit = 1 << prefix - 1
    guard value >= limit else { return [flags | UInt8(value)] }
    var bytes = [flags | UInt8(limit)]
    var rest = value - limit
    while rest >= 128 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
