import AFSerialization
import Foundation
import FoundationNetworking
import FoundationXML
import Testing

@Suite struct XMLParserResponseSerializerTests {
  private let serializer = AFXMLParserResponseSerializer()

  @Test("AF-T047 AF-T048 the XML types are accepted", arguments: ["application/xml", "text/xml"])
  func types(_ type: String) {
    #expect(throws: Never.self) { try serializer.validate(response(type: type), data: Data("<a/>".utf8)) }
  }

  @Test("AF-T049 another type is refused")
  func otherType() {
    let (value, error) = serializer.outcome(response(type: "nonstandard/xml"), "<a/>")
    #expect(value == nil)
    #expect((error as? AFURLResponseSerializationError)?.reason == .unacceptableContentType("nonstandard/xml"))
  }

  @Test("AF-T050 B13 the parser reads the original bytes in the encoding they declare")
  func parser() throws {
    let utf8 = Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>日本</a>".utf8)
    let shiftJIS =
      Data("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><a>".utf8) + [0x93, 0xFA, 0x96, 0x7B] + Data("</a>".utf8)
    for data in [utf8, shiftJIS] {
      let (value, error) = serializer.outcome(response(type: "text/xml"), data)
      #expect(error == nil)
      let parser = try #require(value as? XMLParser)
      let collector = TextCollector()
      parser.delegate = collector
      #expect(parser.parse())
      #expect(collector.text == "日本")
    }
  }

  @Test(
    "an instruction without content does not crash the parser, and text that looks like one is not changed",
    arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian])
  func bareInstruction(_ encoding: String.Encoding) throws {
    let text = "<?x?><a><?break?><!--<?c?>--><![CDATA[<?d?>]]><?e f?>日</a>"
    let (value, error) = serializer.outcome(response(type: "text/xml"), text.data(using: encoding))
    #expect(error == nil)
    let parser = try #require(value as? XMLParser)
    let collector = TextCollector()
    parser.delegate = collector
    #expect(parser.parse())
    #expect(collector.text == "<?d?>日")
    #expect(collector.instructions == ["x", "break", "e"])
    #expect(collector.comment == "<?c?>")
  }

  @Test(
    "what would stop the program inside Foundation's parser is a typed error from both serializers",
    arguments: [
      Data("<a ".utf8) + [0xE9] + Data("=\"1\"/>".utf8), Data("<a b=\"".utf8) + [0xF8, 0xFF] + Data("\"/>".utf8),
      Data("<!DOCTYPE a [<!ATTLIST a b ENTITY #IMPLIED>]><a/>".utf8),
      Data("<!DOCTYPE a [<!NOTATION z SYSTEM \"p\">]><a/>".utf8),
      Data("<!DOCTYPE a [<!ENTITY x SYSTEM \"y\" NDATA z>]><a/>".utf8),
      Data("<!DOCTYPE a [<!ENTITY e \"<?x?>\">]><a>&e;</a>".utf8),
      Data("<!DOCTYPE a [<!ENTITY e \"&#60;?x?>\">]><a>&e;</a>".utf8),
      Data("<!DOCTYPE a [<!ENTITY % p \"q\">%p;]><a/>".utf8),
      Data("<?xml version=\"1.0\" encoding=\"UTF-7\"?>+ADw-!DOCTYPE a []+AD4-<a/>".utf8),
      Data("<?xml version=\"1.0\" encoding=\"UTF-16\"?> <!DOCTYPE a [<!ATTLIST a b ENTITY #IMPLIED>]><a/>".utf8),
    ])
  func wouldCrash(_ data: Data) {
    for serializer in [serializer, AFXMLDocumentResponseSerializer()] {
      let (value, error) = serializer.outcome(response(type: "text/xml"), data)
      #expect(value == nil)
      guard case .undecodableBody = (error as? AFURLResponseSerializationError)?.reason else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test("a DTD with elements and plain entities is read")
  func harmlessDTD() throws {
    let text =
      "<!-- c --><!DOCTYPE a PUBLIC \"p[\" 's' [<!ELEMENT a ANY> <!ENTITY e \"x>y\"><!-- <!ATTLIST --> ]><a>&e;</a>"
    let (value, error) = serializer.outcome(response(type: "text/xml"), text)
    #expect(error == nil)
    let parser = try #require(value as? XMLParser)
    #expect(parser.parse())
  }

  @Test("an empty reply without content has no parser; nil data has one over nothing")
  func empty() {
    #expect(serializer.outcome(response(204), Data()).value == nil)
    #expect(serializer.outcome(response(200, type: "text/xml"), nil).value is XMLParser)
  }

  @Test("AF-T051 copies and archives have the same codes and types")
  func copyAndArchive() throws {
    serializer.acceptableContentTypes = ["a/b"]
    serializer.acceptableStatusCodes = IndexSet(integer: 418)
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(other.acceptableContentTypes == ["a/b"])
      #expect(other.acceptableStatusCodes == IndexSet(integer: 418))
    }
  }

  private final class TextCollector: NSObject, XMLParserDelegate {
    var text = ""
    var instructions: [String] = []
    var comment = ""
    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }
    func parser(_ parser: XMLParser, foundComment comment: String) { self.comment += comment }
    func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
      instructions.append(target)
    }
  }
}

@Suite struct XMLDocumentResponseSerializerTests {
  private let serializer = AFXMLDocumentResponseSerializer()
  private let xml = "application/xml"

  @Test("AF-T052 AF-T053 the XML types are accepted", arguments: ["application/xml", "text/xml"])
  func types(_ type: String) {
    #expect(serializer.outcome(response(type: type), "<a/>").error == nil)
  }

  @Test("AF-T054 another type is refused")
  func otherType() {
    #expect(serializer.outcome(response(type: "nonstandard/xml"), "<a/>").error != nil)
  }

  @Test("AF-T055 a document is built")
  func document() throws {
    let (value, error) = serializer.outcome(
      response(type: xml), "<?xml version=\"1.0\"?><foo><bar a=\"1\">x</bar></foo>")
    #expect(error == nil)
    let root = try #require((value as? XMLDocument)?.rootElement())
    #expect(root.name == "foo")
    #expect(root.elements(forName: "bar").first?.stringValue == "x")
  }

  @Test(
    "AF-T056 AF-X038 what is not well-formed is an error with the place, the response and the body",
    arguments: ["<foo", "<a></b>", "text", "   ", "<a/><b/>", "<a>&nothing;</a>", "\u{0}", "<?xml version=\"1.0\"?>"])
  func malformed(_ text: String) throws {
    let response = response(type: xml)
    let (value, error) = serializer.outcome(response, text)
    #expect(value == nil)
    #expect(error?.domain == XMLParser.errorDomain)
    #expect(error?.localizedDescription.contains("line 1") == true)
    #expect(error?.userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse === response)
    #expect(error?.userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data == Data(text.utf8))
  }

  @Test("AF-X038 an empty body is an error, unless the status says that there is no content")
  func empty() {
    let (value, error) = serializer.outcome(response(200, type: xml), "")
    #expect(value == nil)
    #expect((error as? AFURLResponseSerializationError)?.reason == .emptyBody)
    #expect(serializer.outcome(response(204, type: xml), "").error == nil)
    #expect(serializer.outcome(response(204, type: xml), "").value == nil)
  }

  @Test("a document is never cut off: more than 256 levels are an error")
  func deep() {
    func nested(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    #expect(serializer.outcome(response(type: xml), nested(256)).value is XMLDocument)
    for count in [257, 100_000] {
      let (value, error) = serializer.outcome(response(type: xml), nested(count))
      #expect(value == nil)
      #expect(error?.localizedDescription.contains("deeper than 256") == true)
    }
  }

  @Test("entities that grow without bounds are an error; external ones are not loaded")
  func entities() throws {
    var bomb = "<!DOCTYPE b [<!ENTITY l0 \"lol\">"
    for level in 1...9 {
      bomb += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
    }
    #expect(serializer.outcome(response(type: xml), bomb + "]><b>&l9;</b>").error != nil)

    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("secret".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let thief = "<!DOCTYPE a [<!ENTITY x SYSTEM \"\(file.absoluteString)\">]><a>&x;</a>"
    let (value, _) = serializer.outcome(response(type: xml), thief)
    #expect((value as? XMLDocument)?.xmlString.contains("secret") != true)
    serializer.options = XMLNode.Options.nodeLoadExternalEntitiesAlways.rawValue
    let (allowed, _) = serializer.outcome(response(type: xml), thief)
    #expect((allowed as? XMLDocument)?.rootElement()?.stringValue == "secret")
  }

  @Test("a refused status with a readable document gives both; with an unreadable one the errors are chained")
  func refusedStatus() {
    let both = serializer.outcome(response(500, type: xml), "<why/>")
    #expect(both.value is XMLDocument)
    #expect(both.error?.code == URLError.Code.badServerResponse.rawValue)
    let chained = serializer.outcome(response(500, type: xml), "<why")
    #expect(chained.value == nil)
    #expect(chained.error?.domain == XMLParser.errorDomain)
    #expect(chained.error?.userInfo[NSUnderlyingErrorKey] is AFURLResponseSerializationError)
  }

  @Test("AF-T057 copies and archives keep every option")
  func copyAndArchive() throws {
    let serializer = AFXMLDocumentResponseSerializer(xmlDocumentOptions: XMLNode.Options.documentTidyXML.rawValue)
    serializer.acceptableContentTypes = ["a/b"]
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(other.options == XMLNode.Options.documentTidyXML.rawValue)
      #expect(other.acceptableContentTypes == ["a/b"])
    }
  }
}
