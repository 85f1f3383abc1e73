package import Foundation

/// Checks a property list of any format before Foundation reads it, which has no limits of its own.
package enum PropertyListGuard {
  /// - Throws: Foundation's error for a damaged property list, if it is nested deeper than 512 levels, or if
  ///   ``BinaryPropertyListGuard`` refuses it; an error that says so, if there is no memory for it.
  package static func check(_ data: Data) throws {
    // What is looked at is a copy, and a value's weight is less than what it takes.
    try NoRoomForDocument.check(DecodedSize.ofMarkup(data))
    let (weight, isVast) = try BinaryPropertyListGuard.check(data).multipliedReportingOverflow(by: 6)
    try NoRoomForDocument.check(isVast ? .max : weight)
    if XMLPropertyListDepth.exceeds(BinaryPropertyListGuard.maximumDepth, in: data) {
      throw BinaryPropertyListGuard.tooDeep
    }
  }
}

/// How deep the containers of an XML property list are nested.
///
/// Foundation's XML reader calls itself for each level, and ends the process where the stack does, which for a worker thread is
/// soon. So levels are counted before, with the reader's own idea of comments, instructions and CDATA sections.
struct XMLPropertyListDepth {
  private let bytes: [UInt8]
  private let limit: Int
  private var position = 0
  private var depth = 0

  /// Whether there are more levels than `limit`, or elements that do not end.
  static func exceeds(_ limit: Int, in data: Data) -> Bool {
    // A level has at least one byte.
    guard data.count > limit, !data.starts(with: Data("bplist".utf8)) else { return false }
    let start = data.prefix(4)
    // In UTF-16 and UTF-32 the bytes beside those of ASCII are zero.
    let isWide = start.contains(0) || start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE])
    var scanner = Self(bytes: isWide ? data.filter { $0 != 0 } : Array(data), limit: limit)
    return scanner.isTooDeep()
  }

  private init(bytes: [UInt8], limit: Int) {
    self.bytes = bytes
    self.limit = limit
  }

  private mutating func isTooDeep() -> Bool {
    // The reader of the OpenStep form has a limit of its own.
    guard bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else { return false }
    // The root element and that of a value are no containers.
    let limit = limit + 2
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = start + 1
      if skip("?") {
        skipPast("?>")
      } else if skip("!--") {
        skipPast("-->")
      } else if skip("![CDATA[") {
        skipPast("]]>")
      } else if skip("/") {
        depth = max(0, depth - 1)
      } else if !isAt("!") {
        depth += tagOpens() ? 1 : 0
      }
      if depth > limit { return true }
    }
    return false
  }

  private mutating func skipPast(_ end: StaticString) {
    while position < bytes.count, !skip(end) { position += 1 }
  }

  /// Goes behind the end of a start tag. False: it is an empty element's.
  private mutating func tagOpens() -> Bool {
    var quote: UInt8?
    var last: UInt8 = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case quote: quote = nil
      case UInt8(ascii: "\"") where quote == nil, UInt8(ascii: "'") where quote == nil: quote = byte
      case UInt8(ascii: ">") where quote == nil: return last != UInt8(ascii: "/")
      default: break
      }
      last = byte
    }
    return true
  }

  private func isAt(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }
}
