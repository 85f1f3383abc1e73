import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct StringResponseSerializerTests {
  private let serializer = AFStringResponseSerializer()

  private static func japanese(_ encoding: String) -> Data {
    Data("<?xml version=\"1.0\" encoding=\"\(encoding)\"?><a>".utf8) + [0x93, 0xFA, 0x96, 0x7B] + Data("</a>".utf8)
  }

  @Test(
    "B13 the encoding is told by mark, charset, XML declaration, or is UTF-8",
    arguments: [
      ("text/xml", Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>日本</a>".utf8), "日本"),
      ("text/xml", japanese("Shift_JIS"), "日本"), ("image/svg+xml; x=y", japanese("shift_jis"), "日本"),
      ("text/xml; charset=Shift_JIS", japanese("UTF-8"), "日本"),
      ("text/plain; Charset=\"ISO-8859-1\"; x=y", Data("caf".utf8) + [0xE9], "café"),
      ("text/plain;charset=nosuch", Data("café".utf8), "café"), ("text/plain", Data("café".utf8), "café"),
      ("text/plain; charset=windows-1252", Data([0x80]), "€"), ("text/plain; charset=koi8-r", Data([0xD0]), "п"),
      ("text/plain; charset=GB2312", Data([0xC4, 0xE3, 0xBA, 0xC3]), "你好"),
      ("text/plain; charset=big5", Data([0xA7, 0x41]), "你"), ("text/plain; charset=euc-kr", Data([0xB0, 0xA1]), "가"),
      ("text/plain; charset=euc-jp", Data([0xC6, 0xFC]), "日"), ("text/plain; charset=utf-16", Data([0x65, 0xE5]), "日"),
      ("text/plain; charset=utf-16le", Data([0xE5, 0x65]), "日"),
      ("text/plain; charset=latin1", Data([0xEF, 0xBB, 0xBF, 0x61]), "a"),
      ("text/plain", Data([0xFF, 0xFE, 0x61, 0]), "a"), ("text/plain", Data([0xFE, 0xFF, 0, 0x61]), "a"),
      ("text/plain", Data([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0]), "a"), ("text/xml", Data([0x3C, 0, 0x3F, 0]), "<?"),
      ("text/plain; charset=GBK", Data(), ""),
    ])
  func encodings(_ type: String, _ data: Data, _ expected: String) throws {
    let (value, error) = serializer.outcome(response(type: type), data)
    #expect(error == nil)
    let text = try #require(value as? String)
    #expect(text == expected || text.contains(expected))
  }

  @Test("B12 a byte order mark is not part of the text")
  func byteOrderMark() {
    let (value, _) = serializer.outcome(
      response(type: "text/plain"), Data([0xEF, 0xBB, 0xBF]) + Data(#"{"a":1}"#.utf8))
    #expect(value as? String == #"{"a":1}"#)
    #expect((value as? String)?.count == 7)
    #expect(serializer.outcome(response(type: "text/plain"), Data([0xEF, 0xBB, 0xBF])).value as? String == "")
  }

  @Test(
    "text that is not in its encoding is an error with response and body",
    arguments: [
      ("text/plain", [0xFF]), ("text/plain; charset=us-ascii", [0xE9]), ("text/plain; charset=gbk", [0x81]),
      ("text/plain; charset=utf-16", [0xD8, 0x00]), ("text/plain; charset=euc-kr", [0xFF, 0xFF]),
    ] as [(String, [UInt8])])
  func undecodable(_ type: String, _ bytes: [UInt8]) {
    let (value, error) = serializer.outcome(response(type: type), Data(bytes))
    #expect(value == nil)
    let typed = error as? AFURLResponseSerializationError
    #expect(typed?.data == Data(bytes))
    #expect(typed?.response != nil)
    #expect(typed?.code == URLError.Code.cannotDecodeContentData.rawValue)
  }

  @Test("the fallback can be chosen, and survives copies and archives")
  func fallback() throws {
    serializer.stringEncoding = String.Encoding.isoLatin1.rawValue
    for serializer in [serializer, try copied(serializer), try archived(serializer)] {
      #expect(serializer.outcome(response(type: "text/plain"), Data([0xE9])).value as? String == "é")
    }
  }

  @Test("a refused status gives the text and the error")
  func refusedStatus() {
    let (value, error) = serializer.outcome(response(500, type: "text/plain"), "oops")
    #expect(value as? String == "oops")
    #expect((error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(500))
  }
}
