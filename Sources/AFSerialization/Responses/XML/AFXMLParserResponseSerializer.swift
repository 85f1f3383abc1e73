public import Foundation
public import FoundationNetworking
internal import FoundationXML

/// Gives an `XMLParser` of the body, not yet started: set its delegate and call `parse()`.
///
/// Default content types: `application/xml` and `text/xml`. The parser gets the bytes as they came, but for a
/// space in processing instructions without content (`<?break?>`), which would crash it on Linux. It loads no external
/// entities unless you tell it to. It is not checked here whether the body is XML; the parser's delegate will be told.
open class AFXMLParserResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; it stores nothing.

  /// Makes a serializer.
  public override init() {
    super.init()
    acceptableContentTypes = xmlContentTypes
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Gives the parser of a body.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body. Nil counts as empty.
  ///   - error: Set to ``AFURLResponseSerializationError`` if the response is refused, or would stop the program inside
  ///     Foundation's parser: it is no text in its encoding, or has a DTD of its own with more than element declarations
  ///     and plain entities.
  /// - Returns: An `XMLParser`; nil if the content type is refused, or the status says that there is no content.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    decode(response, data: data ?? Data(), error: error) { data in
      if data.isEmpty { return response.hasNoContent ? nil : XMLParser(data: data) }
      if let problem = try XMLPrecheck.problem(in: data) {
        throw AFURLResponseSerializationError(.undecodableBody(problem: problem), response: response, data: data)
      }
      return XMLParser(data: XMLInstructions.repaired(data))
    }
  }
}

let xmlContentTypes: Set<String> = ["application/xml", "text/xml"]

extension URLResponse? {
  /// Whether the status code says that there is no body, so that an empty one is not a broken one.
  var hasNoContent: Bool {
    guard let response = self as? HTTPURLResponse else { return false }
    return [204, 205, 304].contains(response.statusCode)
  }
}
