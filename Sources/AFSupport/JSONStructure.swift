package import Foundation

/// What can be seen of a JSON text without reading it.
package enum JSONStructure {
  /// Calls `take` with each byte that stands outside of the text's strings, and with the quotation mark that begins one, until it says
  /// no more.
  package static func scan(_ data: Data, _ take: (UInt8) -> Bool) {
    var (isText, isEscaped) = (false, false)
    data.withUnsafeBytes { bytes in
      for byte in bytes {
        if isText {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isText = false
          }
          continue
        }
        if byte == UInt8(ascii: "\"") { isText = true }
        guard take(byte) else { return }
      }
    }
  }
}
