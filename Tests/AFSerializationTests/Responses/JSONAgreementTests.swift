import AFSerialization
import Foundation
import Testing

/// F95: a document that the untyped serializer refuses is refused by the typed one also where the type does not look.
@Suite struct JSONAgreementTests {
  private struct Nothing: Decodable {}

  private static let texts: [String] =
    [
      #"{"b":1}"#, #"{"b":01}"#, #"{"b":-01}"#, #"{"b":-}"#, #"{"b":1.}"#, #"{"b":.5}"#, #"{"b":1e}"#, #"{"b":1e+}"#,
      #"{"b":1E+5}"#, #"{"b":-0}"#, #"{"b":0}"#, #"{"b":0.0}"#, #"{"b":00}"#, #"{"b":1.5.5}"#, #"{"b":1-2}"#,
      #"{"b":1e5.5}"#, #"{"b":0x10}"#, #"{"b":+1}"#, #"{"b":1e308}"#, #"{"b":1e309}"#, #"{"b":-1e999}"#,
      #"{"b":1e-999}"#, #"{"b":12345678901234567890123}"#, #"{"b":\#(String(repeating: "9", count: 308))}"#,
      #"{"b":\#(String(repeating: "9", count: 400))}"#, #"{"b":nul}"#, #"{"b":null}"#, #"{"b":truex}"#, #"{"b":NaN}"#,
      #"{"b":"\q"}"#, #"{"b":"\u00e9"}"#, #"{"b":"\u00g0"}"#, #"{"b":"\u00"}"#, #"{"b":"\ud83d\ude00"}"#,
      #"{"b":"\uD83D\uDE00"}"#, #"{"b":"\ud800"}"#, #"{"b":"\ud800x"}"#, #"{"b":"\ud800\n"}"#, #"{"b":"\ud800\u0041"}"#,
      #"{"b":"\udc00"}"#, #"{"b":"\ud800\ud800"}"#, #"{"b":"\/\"\\\b\f\n\r\t"}"#, #"{"\q":1}"#, #"{"b":"x\"}"#,
      "{\"b\":\"\u{1}\"}", "{\"b\":\"\t\"}", "{\"b\":\"\n\"}", "{\"b\":\"\u{7F}\"}", "{\"b\":\"\u{FFFF}\"}",
      #"{"b":[1,,2]}"#, #"{"b":1 2}"#, #"{"b" 1}"#, #"{"b":[1,2}"#, #"[]"#, #"[1,[2,[01]]]"#, #"{"b":{"c":"\x"}}"#,
      #" {"b" : 1 } "#, #"{"b":"é€😀"}"#, #"{"b":"\"01\""}"#, #"{"b":1}x"#,
    ]

  /// Documents that are no UTF-8 text, or not only.
  private static let others: [[UInt8]] = [
    quoted([0xE9]), quoted([0xC0, 0xAF]), quoted([0xED, 0xA0, 0x80]), quoted([0xF4, 0x90, 0x80, 0x80]), quoted([0xC3]),
    Array("{\"".utf8) + [0xE9] + Array("\":1}".utf8), [0xEF, 0xBB, 0xBF] + Array("{\"b\":1}".utf8),
    [0xFF, 0xFE] + Array("{\"b\":1}".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
  ]

  private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    Array("{\"b\":\"".utf8) + bytes + Array("\"}".utf8)
  }

  @Test("F95 both serializers give the same answer", arguments: texts.map { Array($0.utf8) } + others)
  func agree(_ document: [UInt8]) {
    let data = Data(document)
    let answer = response(type: "application/json")
    let untyped = AFJSONResponseSerializer().outcome(answer, data)
    let typed = AFDecodableResponseSerializer<Nothing>().outcome(answer, data)
    #expect(
      (untyped.error == nil) == (typed.error == nil),
      "\(String(decoding: document, as: UTF8.self)): \(untyped.error as Any), \(typed.error as Any)")
  }

  @Test(
    "F100 a document that cannot be read is refused with the place",
    arguments: [
      ("{\n  \"a\": 1,\n  \"b\": \"\\q\"}", "line 3, column 9"), ("[01]", "line 1, column 2"),
      ("{\"a\" 1}", "character 5"),
    ])
  func place(_ document: String, _ place: String) {
    let error = AFDecodableResponseSerializer<Nothing>().outcome(response(type: "application/json"), document).error
    #expect(error?.localizedDescription.contains(place) == true, "\(error?.localizedDescription ?? "no error")")
  }

  @Test("a decoder of JSON5 is not held to JSON's rules")
  func json5() throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let serializer = AFDecodableResponseSerializer<Nothing>(decoder: decoder)
    #expect(serializer.outcome(response(type: "application/json"), "{b: .5, c: 'x'}").error == nil)
  }
}
