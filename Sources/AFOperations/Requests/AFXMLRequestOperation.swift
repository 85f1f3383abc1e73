import AFSerialization
public import Foundation
public import FoundationNetworking
public import FoundationXML

/// A request whose response is XML, given as a parser that has not begun.
open class AFXMLRequestOperation: AFHTTPRequestOperation, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.

  /// Makes an operation that is not started.
  public override init(request urlRequest: URLRequest) {
    super.init(request: urlRequest)
  }

  /// Reads an archived operation.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Makes an operation whose success block gets a parser, as AFNetworking 1.x has it. The blocks run where those of
  /// ``AFHTTPRequestOperation/setCompletionBlockWithSuccess(_:failure:)`` do.
  @preconcurrency
  open class func xmlParserRequestOperation(
    with urlRequest: URLRequest, success: (@Sendable (URLRequest, HTTPURLResponse?, XMLParser) -> Void)?,
    failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error, XMLParser?) -> Void)? = nil
  ) -> Self {
    let operation = made(for: urlRequest)
    operation.setCompletionBlockWithSuccess(
      { operation, object in
        if let parser = object as? XMLParser { success?(operation.request, operation.response, parser) }
      },
      failure: { failure?($0.request, $0.response, $1, $0.responseObject as? XMLParser) })
    return operation
  }

  /// Makes an operation whose success block gets a document, as AFNetworking 1.x has it on the Mac.
  @preconcurrency
  open class func xmlDocumentRequestOperation(
    with urlRequest: URLRequest, success: (@Sendable (URLRequest, HTTPURLResponse?, XMLDocument) -> Void)?,
    failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error, XMLDocument?) -> Void)? = nil
  ) -> Self {
    let operation = made(for: urlRequest)
    let serializer = AFXMLDocumentResponseSerializer()
    serializer.acceptableContentTypes = acceptableContentTypes()
    serializer.acceptableStatusCodes = acceptableStatusCodes()
    operation.responseSerializer = serializer
    operation.setCompletionBlockWithSuccess(
      { operation, object in
        if let document = object as? XMLDocument { success?(operation.request, operation.response, document) }
      },
      failure: { failure?($0.request, $0.response, $1, $0.responseObject as? XMLDocument) })
    return operation
  }

  /// The parser of the response; nil if the operation failed, or reads documents.
  open var responseXMLParser: XMLParser? { responseObject as? XMLParser }

  /// The response as a document, read when it is asked for; nil if it is none.
  open var responseXMLDocument: XMLDocument? {
    if let document = responseObject as? XMLDocument { return document }
    guard isFinished, error == nil, let responseData else { return nil }
    let serializer = AFXMLDocumentResponseSerializer()
    serializer.acceptableContentTypes = nil
    serializer.acceptableStatusCodes = nil
    var failure: NSError?
    return serializer.responseObject(for: response, data: responseData, error: &failure) as? XMLDocument
  }

  override class var ownContentTypes: Set<String>? { makeSerializer().acceptableContentTypes }
  override class var pathExtensions: Set<String> { ["xml"] }
  override class func makeSerializer() -> AFHTTPResponseSerializer { AFXMLParserResponseSerializer() }
}
