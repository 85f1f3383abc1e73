internal import Foundation

/// Refuses the documents that stop the program inside Foundation's event parser on Linux, whoever its delegate is.
///
/// They are: bytes that are no text in the encoding they say; and, in the document's own DTD, attribute lists, notations,
/// unparsed entities, parameter entities, and entities that hold markup. Plain entities and element declarations are fine.
enum XMLPrecheck {
  /// What is wrong, or nil.
  static func problem(in data: Data) throws(NoRoomForDocument) -> String? {
    guard let text = try TextDecoding.xmlText(data) else { return "the XML is no text in its encoding" }
    try NoRoomForDocument.check(text.utf8.count)
    var scanner = Scanner(bytes: Array(text.utf8))
    return scanner.hasHarmlessProlog() ? nil : "the XML has a DTD with more than elements and plain entities"
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    /// Looks at what stands before the root element, where alone a DTD can be.
    mutating func hasHarmlessProlog() -> Bool {
      while true {
        skipSpace()
        if skip("<?") {
          skipPast("?>")
        } else if skip("<!--") {
          skipPast("-->")
        } else {
          return skip("<!DOCTYPE") ? hasHarmlessDTD() : true
        }
      }
    }

    private mutating func hasHarmlessDTD() -> Bool {
      while let byte = next() {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): skipPast(byte)
        case UInt8(ascii: ">"): return true
        case UInt8(ascii: "["): return hasHarmlessDeclarations()
        default: break
        }
      }
      return true
    }

    private mutating func hasHarmlessDeclarations() -> Bool {
      while true {
        skipSpace()
        if position == bytes.count || skip("]") { return true }
        if skip("<!--") {
          skipPast("-->")
        } else if skip("<?") {
          skipPast("?>")
        } else if skip("<!ELEMENT") {
          skipPast(">")
        } else if skip("<!ENTITY") {
          guard isHarmlessEntity() else { return false }
        } else {
          return false
        }
      }
    }

    /// Reads an entity's declaration to its end.
    private mutating func isHarmlessEntity() -> Bool {
      var quote: UInt8?
      while position < bytes.count {
        // Unparsed, markup, markup by another name, a parameter entity.
        if skip("NDATA") || skip("<") || skip("&#") || skip("%") { return false }
        let byte = bytes[position]
        position += 1
        switch byte {
        case quote: quote = nil
        case UInt8(ascii: "\"") where quote == nil, UInt8(ascii: "'") where quote == nil: quote = byte
        case UInt8(ascii: ">") where quote == nil: return true
        default: break
        }
      }
      return true
    }

    private mutating func next() -> UInt8? {
      guard position < bytes.count else { return nil }
      defer { position += 1 }
      return bytes[position]
    }

    private mutating func skipSpace() {
      while position < bytes.count, [0x20, 9, 10, 13].contains(bytes[position]) { position += 1 }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard position + count <= bytes.count else { return false }
      for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return false }
      position += count
      return true
    }

    private mutating func skipPast(_ text: StaticString) {
      while position < bytes.count, !skip(text) { position += 1 }
    }

    private mutating func skipPast(_ byte: UInt8) {
      while let found = next(), found != byte {}
    }
  }
}
