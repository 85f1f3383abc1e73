import AFSerialization
import Foundation
import FoundationNetworking
import Testing

/// Whatever is sent as a query or form is read back by parsers that others wrote.
@Suite struct ForeignParserTests {
  private let seed = UInt64.random(in: 0...UInt64.max)

  /// The form body and the query that a serializer makes of the same parameters; both must be one text.
  private func query(_ parameters: Any, _ encoding: AFQueryStringEncoding) throws -> String {
    let serializer = AFHTTPRequestSerializer()
    serializer.queryStringEncoding = encoding
    let body = try #require(try serializer.serialized(request("POST"), parameters).bodyText)
    #expect(try serializer.serialized(request("GET"), parameters).url?.query == body)
    return body
  }

  @Test(
    "B07 B08 AF-X011 Python reads back every name and text, in order",
    arguments: [AFQueryStringEncoding.Spaces.percentEscaped, .plus])
  func python(_ spaces: AFQueryStringEncoding.Spaces) throws {
    var random = RandomParameters(seed: seed)
    let nodes = (0..<300).map { _ in random.table(depth: 4) { "k" + $0.text(maximum: 6) } }
    let queries = try nodes.map { try query($0.value, AFQueryStringEncoding(spaces: spaces)) }
    for (node, result) in zip(nodes, try ForeignParser.python.parse(queries)) {
      #expect(result as? [[String]] == node.pairs(nil), "seed \(seed)")
    }
  }

  @Test(
    "AF-X011 PHP reads back every structure", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/php"))
  )
  func php() throws {
    var random = RandomParameters(seed: seed)
    // PHP turns dots and spaces of names into underscores and digits into list positions, so names have neither here.
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCéß日本🙂_-")
    let nodes = (0..<300).map { _ in
      random.table(depth: 5) { random in
        String(
          (0..<Int.random(in: 1...5, using: &random)).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
      }
    }
    let queries = try nodes.map { try query($0.value, AFQueryStringEncoding(arrays: .indices)) }
    for (node, result) in zip(nodes, try ForeignParser.php.parse(queries)) {
      #expect(result as? NSDictionary == node.texts as? NSDictionary, "seed \(seed)")
    }
  }

  @Test(
    "PHP reads lists of texts in brackets", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/php")))
  func phpBrackets() throws {
    let text = try query(
      ["a": ["b": ["x y", "+", "&=;%", "é"]], "c": [1, 2]] as [String: Any], AFQueryStringEncoding())
    let result = try ForeignParser.php.parse([text]).first
    #expect(result as? NSDictionary == ["a": ["b": ["x y", "+", "&=;%", "é"]], "c": ["1", "2"]])
  }
}
