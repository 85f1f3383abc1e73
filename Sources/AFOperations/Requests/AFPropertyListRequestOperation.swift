import AFSerialization
public import Foundation
public import FoundationNetworking

/// A request whose response is a property list.
open class AFPropertyListRequestOperation: AFHTTPRequestOperation, @unchecked Sendable {
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

  /// The property list of the response; see ``AFHTTPRequestOperation/responseObject``.
  open var responsePropertyList: Any? { responseObject }

  /// How property lists are read. Default: none.
  open var propertyListReadOptions: PropertyListSerialization.ReadOptions {
    get { (responseSerializer as? AFPropertyListResponseSerializer)?.readOptions ?? [] }
    set { (responseSerializer as? AFPropertyListResponseSerializer)?.readOptions = newValue }
  }

  override class var ownContentTypes: Set<String>? { makeSerializer().acceptableContentTypes }
  override class var pathExtensions: Set<String> { ["plist"] }
  override class func makeSerializer() -> AFHTTPResponseSerializer { AFPropertyListResponseSerializer() }
}
