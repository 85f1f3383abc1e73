/// Percent-encoding of query keys and values: UTF-8, upper-case hexadecimal digits, one pass.
///
/// Left alone are the unreserved characters of RFC 3986 §2.3 and, so that a URL can be a value, `/` and `?`.
package enum PercentEncoding {
  /// How a space is written.
  package enum Space: Sendable {
    /// `%20`, which every parser understands.
    case percent
    /// `+`, as HTML forms do.
    case plus
  }

  /// The text with everything escaped that is not left alone.
  package static func escaped(_ text: String) -> String {
    var text = text
    return text.withUTF8 { source in
      let escapes = source.reduce(into: 0) { count, byte in if !isLeftAlone(byte) { count += 1 } }
      return String(unsafeUninitializedCapacity: source.count + 2 * escapes) { target in
        escape(source[...], into: target, space: .percent)
      }
    }
  }

  /// Appends the text, escaped, to the bytes of a longer text.
  package static func append(_ text: String, to target: inout [UInt8], space: Space = .percent) {
    var text = text
    text.withUTF8 { source in
      // Block by block through a buffer on the stack: cheaper than to append byte by byte.
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * min(source.count, blockSize)) { block in
        var start = 0
        while start < source.count {
          let end = min(source.count, start + blockSize)
          let count = escape(source[start..<end], into: block, space: space)
          target.append(contentsOf: block[..<count])
          start = end
        }
      }
    }
  }

  private static let blockSize = 340

  private static func escape(
    _ source: Slice<UnsafeBufferPointer<UInt8>>,
    into target: UnsafeMutableBufferPointer<UInt8>,
    space: Space
  ) -> Int {
    var position = 0
    for byte in source {
      if isLeftAlone(byte) {
        target[position] = byte
        position += 1
      } else if byte == UInt8(ascii: " "), space == .plus {
        target[position] = UInt8(ascii: "+")
        position += 1
      } else {
        target[position] = UInt8(ascii: "%")
        target[position + 1] = hexDigit(byte >> 4)
        target[position + 2] = hexDigit(byte & 15)
        position += 3
      }
    }
    return position
  }

  /// Letters, digits and `-._~/?`, looked up in two sets of 64 bits: one for the characters below `@`, one for the others.
  private static func isLeftAlone(_ byte: UInt8) -> Bool {
    guard byte < 128 else { return false }
    let set: UInt64 = byte < 64 ? 0x83FF_E000_0000_0000 : 0x47FF_FFFE_87FF_FFFE
    return set >> UInt64(byte & 63) & 1 == 1
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
  }
}
