import Glibc

extension ResponseHead {
  /// The head with what a recipient has to repair:
  /// - a folded value becomes one line: each line break, with the white space around it, becomes a space (RFC 9112 §5.2);
  /// - lines between the status line and the first field that begin with white space are left out (§2.2);
  /// - a NUL, and a CR that ends no line, become a space (RFC 9110 §5.5, RFC 9112 §2.2).
  ///
  /// Nearly every head has none of these, and is given back as it is.
  static func cleaned(_ head: [UInt8]) -> [UInt8] {
    guard head.withUnsafeBufferPointer(needsCleaning) else { return head }
    var result: [UInt8] = []
    result.reserveCapacity(head.count)
    var isFirstLine = true
    var start = 0
    while start < head.count {
      let end = head[start...].firstIndex(of: lineFeed) ?? head.count
      defer { start = min(end + 1, head.count) }
      let isFolded = start > 0 && isBlank(head[start])
      if isFolded, isFirstLine { continue }
      var first = start
      if isFolded {
        // All the white space around the line break becomes one space.
        while let last = result.last, last == lineFeed || last == carriageReturn || isBlank(last) {
          result.removeLast()
        }
        while first < end, isBlank(head[first]) { first += 1 }
        result.append(space)
      } else if start > 0 {
        isFirstLine = false
      }
      let hasReturn = end > first && end < head.count && head[end - 1] == carriageReturn
      for byte in head[first..<(hasReturn ? end - 1 : end)] {
        result.append(byte == 0 || byte == carriageReturn ? space : byte)
      }
      if hasReturn { result.append(carriageReturn) }
      if end < head.count { result.append(lineFeed) }
    }
    return result
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let space = UInt8(ascii: " ")

  private static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == UInt8(ascii: "\t") }

  /// Looks for what is to be repaired, with three passes of `memchr`: every response is looked at.
  private static func needsCleaning(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = head.baseAddress else { return false }
    if memchr(base, 0, head.count) != nil { return true }
    var index = 0
    while let found = memchr(base + index, Int32(lineFeed), head.count - index) {
      index = found - UnsafeMutableRawPointer(mutating: base) + 1
      if index < head.count, isBlank(head[index]) { return true }
    }
    index = 0
    while let found = memchr(base + index, Int32(carriageReturn), head.count - index) {
      index = found - UnsafeMutableRawPointer(mutating: base) + 1
      guard index < head.count, head[index] == lineFeed else { return true }
    }
    return false
  }
}

/// The characters of a token (RFC 9110 §5.6.2), of which field names are made.
enum HTTPToken {
  static func contains(_ byte: UInt8) -> Bool { table[Int(byte)] }

  private static let table: [Bool] = (0...UInt8.max).map { byte in
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
