internal import Foundation
internal import FoundationXML

/// Checks that a document is XML before a tree is built of it.
///
/// Foundation's tree builder on Linux takes malformed text without an error, cuts off what is nested deeper than 256 levels
/// without a word, and crashes on an empty document. Its event parser does see what is wrong.
enum XMLGuard {
  /// How deep elements may be nested: the tree builder's own limit.
  static let maximumDepth = 256

  /// - Throws: The parser's error, with the line and column in its description.
  static func check(_ data: Data) throws {
    let parser = XMLParser(data: data)
    let watcher = Watcher()
    parser.delegate = watcher
    let isDone = parser.parse()
    if watcher.isTooDeep {
      throw fault(.internalError, "elements are nested deeper than \(maximumDepth) levels", parser)
    }
    if let error = parser.parserError {
      let code = XMLParser.ErrorCode(rawValue: (error as NSError).code) ?? .internalError
      throw fault(code, "the document is not well-formed", parser)
    }
    if !isDone || !watcher.hasRoot { throw fault(.emptyDocumentError, "the document has no root element", parser) }
  }

  private static func fault(_ code: XMLParser.ErrorCode, _ problem: String, _ parser: XMLParser) -> NSError {
    let place = "line \(max(1, parser.lineNumber)), column \(max(1, parser.columnNumber))"
    let text = "The XML cannot be read: \(problem) (\(place))."
    return NSError(domain: XMLParser.errorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: text])
  }

  private final class Watcher: NSObject, XMLParserDelegate {
    var depth = 0
    var hasRoot = false
    var isTooDeep = false

    func parser(
      _ parser: XMLParser,
      didStartElement elementName: String,
      namespaceURI: String?,
      qualifiedName qName: String?,
      attributes attributeDict: [String: String]
    ) {
      hasRoot = true
      depth += 1
      guard depth > XMLGuard.maximumDepth, !isTooDeep else { return }
      isTooDeep = true
      parser.abortParsing()
    }

    func parser(
      _ parser: XMLParser,
      didEndElement elementName: String,
      namespaceURI: String?,
      qualifiedName qName: String?
    ) {
      depth -= 1
    }
  }
}
