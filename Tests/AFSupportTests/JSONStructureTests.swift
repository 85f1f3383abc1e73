import Foundation
import Testing

@testable import AFSupport

@Suite struct JSONStructureTests {
  private static func outside(_ text: String, atMost limit: Int = .max) -> String {
    var bytes: [UInt8] = []
    JSONStructure.scan(Data(text.utf8)) { byte in
      bytes.append(byte)
      return bytes.count < limit
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("", ""), ("[1, 2]", "[1, 2]"), (#"{"a": "b"}"#, #"{": "}"#), (#"["[{", 1]"#, #"[", 1]"#),
    // An escaped quotation mark does not end a string; one behind an escaped backslash does.
    (#"["a\"[", 2]"#, #"[", 2]"#), (#"["a\\", 3]"#, #"[", 3]"#), (#"["\\\"[", 4]"#, #"[", 4]"#),
    (#"["\u005b", 5]"#, #"[", 5]"#),
    // A string that does not end hides the rest.
    (#"["a]"#, #"[""#), (#"["a\"#, #"[""#), ("\\[", "\\["), (#""""#, #"""#),
  ])
  func `What stands in strings is passed over`(text: String, outside: String) {
    #expect(Self.outside(text) == outside)
  }

  @Test func `It stops when it is told to`() {
    #expect(Self.outside("[[[[", atMost: 2) == "[[")
    #expect(Self.outside(#"["a", [["#, atMost: 3) == #"[","#)
  }
}
