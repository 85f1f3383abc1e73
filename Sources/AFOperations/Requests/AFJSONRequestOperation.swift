import AFSerialization
public import Foundation
public import FoundationNetworking

/// A request whose response is JSON.
open class AFJSONRequestOperation: AFHTTPRequestOperation, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.

  /// Makes an operation that is not started.
  public override init(request urlRequest: URLRequest) {
    super.init(request: urlRequest)
  }

  /// Reads an archived operation.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Makes an operation with blocks as AFNetworking 1.x has them. Both run where those of
  /// ``AFHTTPRequestOperation/setCompletionBlockWithSuccess(_:failure:)`` do.
  @preconcurrency
  public convenience init(
    request urlRequest: URLRequest, success: (@Sendable (URLRequest, HTTPURLResponse?, Any?) -> Void)?,
    failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error, Any?) -> Void)? = nil
  ) {
    self.init(request: urlRequest)
    setObjectBlocks(success, failure)
  }

  /// The JSON object of the response; see ``AFHTTPRequestOperation/responseObject``.
  open var responseJSON: Any? { responseObject }

  /// How JSON is read. Default: none.
  open var jsonReadingOptions: JSONSerialization.ReadingOptions {
    get { (responseSerializer as? AFJSONResponseSerializer)?.readingOptions ?? [] }
    set { (responseSerializer as? AFJSONResponseSerializer)?.readingOptions = newValue }
  }

  override class var ownContentTypes: Set<String>? { makeSerializer().acceptableContentTypes }
  override class var pathExtensions: Set<String> { ["json"] }
  override class func makeSerializer() -> AFHTTPResponseSerializer { AFJSONResponseSerializer() }
}
