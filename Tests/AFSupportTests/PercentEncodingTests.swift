import AFSupport
import Testing

@Suite struct PercentEncodingTests {
  private func appended(_ text: String, _ space: PercentEncoding.Space = .percent) -> String {
    var bytes = Array("x=".utf8)
    PercentEncoding.append(text, to: &bytes, space: space)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// RFC 3986 §2.3, and `/` and `?`, which a query may hold (§3.4).
  @Test(arguments: UInt8(0)..<128)
  func `unreserved characters, the slash and the question mark are left alone, all else is escaped`(byte: UInt8) {
    let text = String(UnicodeScalar(byte))
    let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
    let isLeftAlone = isLetter || (byte >= 0x30 && byte <= 0x39) || "-._~/?".utf8.contains(byte)
    let hex = String(byte, radix: 16, uppercase: true)
    let expected = isLeftAlone ? text : "%" + (hex.count == 1 ? "0" : "") + hex
    #expect(PercentEncoding.escaped(text) == expected)
    #expect(appended(text) == "x=" + expected)
    #expect(appended(text, .plus) == "x=" + (byte == 0x20 ? "+" : expected))
  }

  @Test func `what is not ASCII is escaped byte by byte`() {
    #expect(PercentEncoding.escaped("é漢🙂") == "%C3%A9%E6%BC%A2%F0%9F%99%82")
  }

  @Test(arguments: [0, 1, 339, 340, 341, 680, 681, 5000])
  func `texts of any length are escaped whole, whatever stands at the edge of a block`(count: Int) {
    for unit in ["a", " ", "é"] {
      let text = String(repeating: unit, count: count)
      #expect(appended(text) == "x=" + String(repeating: PercentEncoding.escaped(unit), count: count))
      #expect(PercentEncoding.escaped(text) == String(repeating: PercentEncoding.escaped(unit), count: count))
    }
  }
}
