import Foundation

/// Which bytes may stand in a URL (RFC 3986 §2, §3.3, §3.4).
enum URLBytes {
  /// Appends what may stand, and escapes of the rest. An escape that is there stays; a percent sign that begins none is
  /// escaped itself.
  static func append(_ part: ArraySlice<UInt8>, to bytes: inout [UInt8], isPath: Bool = true) {
    var index = part.startIndex
    while index < part.endIndex {
      let byte = part[index]
      if byte == UInt8(ascii: "%") {
        let isEscape = index + 2 < part.endIndex && isHex(part[index + 1]) && isHex(part[index + 2])
        if isEscape { bytes.append(byte) } else { escape(byte, &bytes) }
      } else if isPath, byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "/"))
      } else if mayStand(byte) || !isPath && byte == UInt8(ascii: "?") {
        bytes.append(byte)
      } else {
        escape(byte, &bytes)
      }
      index += 1
    }
  }

  private static func escape(_ byte: UInt8, _ bytes: inout [UInt8]) {
    let digits: StaticString = "0123456789ABCDEF"
    bytes.append(UInt8(ascii: "%"))
    bytes.append(digits.utf8Start[Int(byte >> 4)])
    bytes.append(digits.utf8Start[Int(byte & 15)])
  }

  /// `pchar` and the slash.
  private static func mayStand(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
      UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"):
      return true
    default: return false
    }
  }

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
}
