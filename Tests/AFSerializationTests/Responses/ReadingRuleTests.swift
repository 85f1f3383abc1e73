import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@testable import AFSerialization

/// Rules of reading bodies, each at its last value and the one behind it.
@Suite struct ReadingRuleTests {
  // MARK: XML

  @Test(
    arguments: [
      ("<!-- c --><!DOCTYPE a [<!ATTLIST a b ENTITY #IMPLIED>]><a/>", false),
      ("<?x y?><!-- c -->\n<!DOCTYPE a [<!NOTATION z SYSTEM \"p\">]><a/>", false),
      ("<!DOCTYPE a [<!ENTITY % p \"q\">]><a/>", false), ("<!DOCTYPE a [<!ENTITY p \"50%\">]><a/>", false),
      ("<!-- <!DOCTYPE a [<!ATTLIST a b ENTITY #IMPLIED>]> --><a/>", true), ("<!-- c --><!DOCTYPE a><a/>", true),
      ("<!DOCTYPE a [<!ENTITY p \"q\"><!-- c -->]><a/>", true), ("<!DOCTYPE a [<!ENTITY p '>'>]><a/>", true),
    ])
  func `a DTD is looked at wherever it stands in the prolog`(text: String, isHarmless: Bool) throws {
    #expect(try (XMLPrecheck.problem(in: Data(text.utf8)) == nil) == isHarmless)
  }

  @Test func `depth is what stands around an element, not how many came before it`() throws {
    let many = "<a>" + String(repeating: "<b></b>", count: 2 * XMLGuard.maximumDepth) + "</a>"
    #expect(throws: Never.self) { try XMLGuard.check(Data(many.utf8)) }
    func nested(_ depth: Int) -> Data {
      Data((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
    }
    #expect(throws: Never.self) { try XMLGuard.check(nested(XMLGuard.maximumDepth)) }
    #expect(throws: (any Error).self) { try XMLGuard.check(nested(XMLGuard.maximumDepth + 1)) }
  }

  @Test func `an instruction without a target is left as it is`() {
    let text = Data("<a><??></a>".utf8)
    #expect(XMLInstructions.repaired(text) == text)
    #expect(XMLInstructions.repaired(Data("<a><?b?></a>".utf8)) == Data("<a><?b ?></a>".utf8))
  }

  // MARK: Text

  @Test(
    arguments: [
      ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "a"), ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "a"), ([0xFF, 0xFE, 0x61, 0], "a"),
      ([0xFE, 0xFF, 0, 0x61], "a"), ([0xEF, 0xBB, 0xBF, 0x61], "a"),
    ] as [([UInt8], String)])
  func `a mark says all, and is no part of the text`(bytes: [UInt8], text: String) throws {
    for type in [nil, "text/plain", "text/plain; charset=koi8-r"] {
      #expect(try TextDecoding.text(Data(bytes), contentType: type, fallback: .isoLatin1) == text)
    }
  }

  @Test func `the fallback is for charsets that are not known, not for bytes that are not of theirs`() throws {
    let bytes = Data([0x81])
    func text(_ charset: String) throws -> String? {
      try TextDecoding.text(bytes, contentType: "text/plain; charset=\(charset)", fallback: .isoLatin1)
    }
    let known = (try text("gbk"), try text("utf-8"))
    #expect(known.0 == nil && known.1 == nil)
    #expect(try text("nosuch") == "\u{81}")
  }

  // MARK: JSON

  @Test(
    arguments: [
      ("[\"\u{1F}\"]", "control character"), ("[\"\u{20}\"]", nil), ("[1e]", "exponent"), ("[1e+]", "exponent"),
      ("[1.]", "point"), ("[-]", "no digits"), ("[1e308]", nil), ("[1e309]", "too large"),
    ] as [(String, String?)])
  func `what is wrong with a document is told`(text: String, problem: String?) {
    do {
      try JSONTextCheck.check(Data(text.utf8))
      #expect(problem == nil)
    } catch {
      let told = "\(error)"
      #expect(problem.map { told.contains($0) } == true, "\(told)")
    }
  }

  @Test func `a decoder of JSON5 may read what is no JSON`() {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let serializer = AFDecodableResponseSerializer<[String: Double]>(decoder: decoder)
    #expect(serializer.outcome(response(type: "application/json"), "{\"b\": 5.}").error == nil)
    let strict = AFDecodableResponseSerializer<[String: Double]>()
    #expect(strict.outcome(response(type: "application/json"), "{\"b\": 5.}").error != nil)
  }

  @Test func `the place of a value is told by keys and numbers`() {
    let serializer = AFDecodableResponseSerializer<[String: [Int]]>()
    let error = serializer.outcome(response(type: "application/json"), "{\"a\": [1, \"x\"]}").error
    #expect(error?.localizedDescription.contains(".a[1]: ") == true, "\(error?.localizedDescription ?? "")")
  }

  @Test func `nulls go, and nothing else`() throws {
    let rows = [
      ("[1, null, 2]", "[1, 2]"), ("[1, [null], 2]", "[1, [], 2]"), ("[null, 1]", "[1]"), ("[null, null]", "[]"),
      ("[1, [2, null, 3], null, 4]", "[1, [2, 3], 4]"), ("[{\"a\": null, \"b\": [null, 1]}, 2]", "[{\"b\": [1]}, 2]"),
    ]
    for (from, to) in rows {
      let object = try JSONSerialization.jsonObject(with: Data(from.utf8))
      let expected = try #require(JSONSerialization.jsonObject(with: Data(to.utf8)) as? NSArray)
      #expect(AFJSONObjectByRemovingKeysWithNullValues(object, []) as? NSArray == expected, "\(from)")
    }
  }

  @Test(arguments: [(511, 0), (512, 1)])
  func `nulls are looked for down to level 512`(levels: Int, left: Int) throws {
    var value: [Any] = [NSNull()]
    for _ in 0..<levels { value = [value] }
    var inner = try #require(AFJSONObjectByRemovingKeysWithNullValues(value, []) as? [Any])
    for _ in 0..<levels { inner = try #require(inner.first as? [Any]) }
    #expect(inner.count == left)
  }

  // MARK: Property lists

  /// A list whose references take two bytes.
  private func list(_ objects: [[UInt8]], count: Int? = nil) -> Data {
    func bytes(_ number: Int, _ size: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(number >> (8 * $0) & 255) } }
    var data = Data("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(data.count)
      data.append(contentsOf: object)
    }
    let table = data.count
    for offset in offsets { data.append(contentsOf: bytes(offset, 4)) }
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 2])
    for number in [count ?? objects.count, 0, table] { data.append(contentsOf: bytes(number, 8)) }
    return data
  }

  private func array(_ references: Int...) -> [UInt8] {
    [0xA0 | UInt8(references.count)] + references.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
  }

  /// `levels` arrays from `start` on, each in the one before, the last of which holds `end`.
  private func chain(from start: Int, levels: Int, end: Int) -> [[UInt8]] {
    (1...levels).map { $0 < levels ? array(start + $0) : array(end) }
  }

  @Test(arguments: [(256, true), (257, true), (258, false)])
  func `what is known already counts with all that is beneath it`(levels: Int, isRead: Bool) {
    // 0 holds a chain of 254 levels over a leaf, and another chain that ends in the first.
    let first = chain(from: 2, levels: 254, end: 1)
    let second = chain(from: 256, levels: levels, end: 2)
    let data = list([array(2, 256), [0x09]] + first + second)
    #expect(((try? BinaryPropertyListGuard.check(data)) != nil) == isRead)
  }

  @Test func `the deepest of a container's elements counts, wherever it stands`() {
    for elements in [[2, 1], [1, 2]] {
      let first = chain(from: 2, levels: 254, end: 1)
      let holder = array(elements[0], elements[1])
      let second = chain(from: 257, levels: 300, end: 256)
      let data = list([array(256, 257), [0x09]] + first + [holder] + second)
      #expect(throws: (any Error).self) { try BinaryPropertyListGuard.check(data) }
    }
  }

  @Test func `values of dictionaries are looked at like their keys, and the table must be there`() {
    let text: [UInt8] = [0x51, 0x61]
    #expect(throws: Never.self) { try BinaryPropertyListGuard.check(self.list([[0xD1, 0, 1, 0, 1], text])) }
    for object in [[0xD1, 0, 1, 0, 9], [0xD1, 0, 9, 0, 1]] as [[UInt8]] {
      #expect(throws: (any Error).self) { try BinaryPropertyListGuard.check(self.list([object, text])) }
    }
    #expect(throws: (any Error).self) { try BinaryPropertyListGuard.check(self.list([text], count: 1000)) }
  }

  // MARK: Errors

  @Test func `an error keeps its own cause and circumstances`() {
    let (own, other) = (NSError(domain: "own", code: 1), NSError(domain: "other", code: 2))
    let error = NSError(domain: "d", code: 3, userInfo: [NSUnderlyingErrorKey: own, "key": "own"])
    #expect((error.withUnderlying(other).userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "own")
    let bare = NSError(domain: "d", code: 3)
    #expect((bare.withUnderlying(other).userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "other")
    let more = error.adding(["key": "other", "more": "other"]).userInfo
    #expect(more["key"] as? String == "own" && more["more"] as? String == "other")
  }

  @Test func `a refused type is found beneath other errors`() {
    let refusal = NSError(
      domain: AFURLResponseSerializationErrorDomain, code: URLError.Code.cannotDecodeContentData.rawValue)
    let outer = NSError(domain: "a", code: 1, userInfo: [NSUnderlyingErrorKey: refusal])
    let outermost = NSError(domain: "b", code: 1, userInfo: [NSUnderlyingErrorKey: outer])
    #expect(refusal.refusesContentType && outer.refusesContentType && outermost.refusesContentType)
    #expect(!NSError(domain: "a", code: refusal.code).refusesContentType)
  }
}
