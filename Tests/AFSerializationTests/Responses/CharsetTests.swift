import AFSerialization
import Foundation
import Testing

/// F78: charsets by the WHATWG Encoding standard where the C library differs.
@Suite struct CharsetTests {
  private func text(_ bytes: [UInt8], _ charset: String) -> String? {
    AFStringResponseSerializer().outcome(response(type: "text/plain; charset=\(charset)"), Data(bytes)).value as? String
  }

  @Test(
    "F78 a character that a mark could follow is not lost at the end",
    arguments: [
      ("windows-1255", [0xF9, 0xEC, 0xE5, 0xED], "שלום"), ("windows-1255", [0xF9], "ש"),
      ("windows-1255", [0xE0, 0xC7], "\u{5D0}\u{5B7}"), ("windows-1258", [0x61, 0x65], "ae"),
      ("windows-1258", [0x65], "e"),
      ("windows-1258", [0x65, 0xEC], "\u{E9}"), ("euc-kr", [0xB0, 0xA1], "가"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22], "あ"),
      ("windows-1255", [], ""),
    ] as [(String, [UInt8], String)])
  func flushed(_ charset: String, _ bytes: [UInt8], _ expected: String) {
    #expect(
      text(bytes, charset)?.precomposedStringWithCanonicalMapping == expected.precomposedStringWithCanonicalMapping)
  }

  @Test(
    "F78 bytes without a character are control characters in the Windows code pages, as in the WHATWG's tables",
    arguments: [
      ("windows-1252", [0x81], "\u{81}"), ("windows-1252", [0x41, 0x8D, 0x42], "A\u{8D}B"),
      ("windows-1252", [0x8F, 0x90, 0x9D], "\u{8F}\u{90}\u{9D}"), ("windows-1252", [0x80], "€"),
      ("windows-1250", [0x81, 0x83, 0x88, 0x90, 0x98], "\u{81}\u{83}\u{88}\u{90}\u{98}"),
      ("windows-1251", [0x98], "\u{98}"),
      ("windows-1255", [0xF9, 0x81, 0xF9], "ש\u{81}ש"), ("cp1252", [0x81], "\u{81}"), ("windows-874", [0x81], "\u{81}"),
    ] as [(String, [UInt8], String)])
  func controls(_ charset: String, _ bytes: [UInt8], _ expected: String) {
    #expect(text(bytes, charset) == expected)
  }

  @Test(
    "bytes that no table has are an error, and so is half a character",
    arguments: [
      ("windows-1253", [0xD2]), ("windows-1255", [0xFF]), ("gbk", [0xB0]), ("shift_jis", [0x81]), ("euc-jp", [0xA4]),
      ("utf-8", [0x81]), ("koi8-r", []), ("windows-874", [0xFC]),
    ] as [(String, [UInt8])])
  func undefined(_ charset: String, _ bytes: [UInt8]) {
    #expect((text(bytes, charset) == nil) == !bytes.isEmpty)
  }

  @Test("10,000 control characters are read, and none is lost")
  func many() {
    #expect(text([UInt8](repeating: 0x81, count: 10_000), "windows-1252")?.unicodeScalars.count == 10_000)
  }
}
