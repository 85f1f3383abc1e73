public import Foundation
public import FoundationNetworking

/// Reads text, as `String`. Every content type is accepted by default.
///
/// The encoding is told by a byte order mark, which is not part of the text; else by the `charset` of the Content-Type; else,
/// for XML, by the XML declaration; else it is ``AFHTTPResponseSerializer/stringEncoding``, UTF-8 by default. An unknown
/// charset counts as none. See <doc:ChoosingAResponseSerializer>.
open class AFStringResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; it stores nothing.

  /// Makes a serializer.
  public override init() {
    super.init()
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Gives the text of a body.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set to ``AFURLResponseSerializationError`` if the response is refused, or the body is not in its encoding.
  /// - Returns: A `String`, empty for an empty body; nil if there is no body, or it cannot be read. A refused status code
  ///   gives the text *and* the error.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    decode(response, data: data, error: error) { data in
      let contentType = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
      let fallback = String.Encoding(rawValue: stringEncoding)
      if let text = try TextDecoding.text(data, contentType: contentType, fallback: fallback) { return text }
      throw AFURLResponseSerializationError(
        .undecodableBody(problem: "the body is no text in its encoding"), response: response, data: data)
    }
  }
}
