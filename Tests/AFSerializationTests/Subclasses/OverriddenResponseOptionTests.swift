import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking
import FoundationXML
import Testing

/// F64: what a subclass overrides counts, also where nothing was ever assigned.
@Suite struct OverriddenResponseOptionTests {
  private static let checks: Set<String> = ["acceptableStatusCodes", "acceptableContentTypes"]
  private static let rows: [(any AFHTTPResponseSerializer & AskedRecorder, String, Set<String>)] = [
    (OwnChecks(), "a", checks),
    (OwnJSONReading(), "1", checks.union(["readingOptions", "removesKeysWithNullValues"])),
    (OwnPropertyListReading(), "<plist><string>a</string></plist>", checks.union(["readOptions"])),
    (OwnText(), "a", checks), (OwnDocuments(), "<a/>", checks.union(["options"])), (OwnParsers(), "<a/>", checks),
    (OwnDecoding(), "[1]", checks.union(["decoder"])), (OwnMembers(), "no JSON", checks.union(["responseSerializers"])),
  ]

  @Test(arguments: 0..<8) func `every option that a subclass overrides is asked for when a response is read`(row: Int) {
    let (serializer, body, expected) = Self.rows[row]
    let accepted = serializer.outcome(response(type: "text/own"), body)
    #expect(accepted.value != nil && accepted.error == nil, "\(type(of: serializer)): \(String(describing: accepted))")
    #expect(serializer.names == expected)
  }

  @Test(arguments: 0..<8, [("text/html", 200), ("application/json", 200), ("text/own", 300), ("text/own", 404)])
  func `what an overridden set of types or codes does not list is refused`(row: Int, answer: (String, Int)) {
    let (serializer, body, _) = Self.rows[row]
    let reason =
      (serializer.outcome(response(answer.1, type: answer.0), body).error as? AFURLResponseSerializationError)?.reason
    switch reason {
    case .unacceptableContentType: #expect(answer.0 != "text/own")
    case .unacceptableStatusCode: #expect(answer.1 != 200)
    default: Issue.record("\(type(of: serializer)) accepts \(answer)")
    }
  }

  @Test func `overridden options are what bodies are read with`() {
    let json = OwnJSONReading().outcome(response(type: "text/own"), #"{"a":null,"b":1}"#).value as? [String: Any]
    #expect(json?.keys.sorted() == ["b"])
    #expect(OwnDecoding().outcome(response(type: "text/own"), "[1]").value as? [Int] == [4])
    #expect(OwnPropertyListReading().outcome(response(type: "text/own"), "<plist><dict/></plist>").value != nil)
  }
}
