import AFCore
public import AFSerialization
import AFSupport
public import Dispatch
public import Foundation
public import FoundationNetworking

/// An HTTP request as an operation: checks status and content type of the response, and reads its body.
///
///     let operation = AFHTTPRequestOperation(request: request)
///     operation.setCompletionBlockWithSuccess { operation, object in … } failure: { operation, error in … }
///     queue.addOperation(operation)
///
/// Its ``responseSerializer`` decides what is acceptable and what ``responseObject`` is. A subclass for one kind of response can be
/// registered with an ``AFHTTPClient``, which then makes such operations by itself.
open class AFHTTPRequestOperation: AFURLConnectionOperation, @unchecked Sendable {
  // Unchecked because its superclass is; the one stored property is a constant behind whose lock the serializer stands.
  private let serializer: Locked<AFHTTPResponseSerializer>

  /// Makes an operation that is not started.
  public override init(request urlRequest: URLRequest) {
    serializer = Locked(Self.newSerializer())
    super.init(request: urlRequest)
  }

  /// Reads an archived operation: its request, and its response serializer.
  public required init?(coder: NSCoder) {
    serializer = Locked(Self.newSerializer())
    super.init(coder: coder)
    let classes: [AnyClass] = [
      AFHTTPResponseSerializer.self, AFJSONResponseSerializer.self, AFXMLParserResponseSerializer.self,
      AFXMLDocumentResponseSerializer.self, AFPropertyListResponseSerializer.self, AFStringResponseSerializer.self,
    ]
    if let archived = coder.decodeObject(of: classes, forKey: "responseSerializer") as? AFHTTPResponseSerializer {
      responseSerializer = archived
    }
  }

  /// Archives what the superclass does, and the response serializer.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(responseSerializer, forKey: "responseSerializer")
  }

  /// A new operation like the superclass's, with a copy of the response serializer and the same queues.
  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    if let copy = copy as? AFHTTPRequestOperation {
      if let serializer = responseSerializer.copy() as? AFHTTPResponseSerializer {
        copy.responseSerializer = serializer
      }
      copy.completionQueue = completionQueue
      copy.completionGroup = completionGroup
      copy.successCallbackQueue = successCallbackQueue
      copy.failureCallbackQueue = failureCallbackQueue
    }
    return copy
  }

  /// The last response; nil if none came.
  open override var response: HTTPURLResponse? { core.withLock { $0.response } }

  /// Checks the response and reads its body. Default: one that accepts what ``acceptableStatusCodes()`` and
  /// ``acceptableContentTypes()`` of the class say, and gives the body as `Data`. A body that goes to an output stream is not read.
  open var responseSerializer: AFHTTPResponseSerializer {
    get { serializer.withLock { $0 } }
    set {
      let old = serializer.withLock { serializer in
        defer { serializer = newValue }
        return serializer
      }
      withExtendedLifetime(old) {}
    }
  }

  /// What the response serializer made of the body, once the operation has finished; nil if it failed.
  open var responseObject: Any? { core.withLock { $0.handed }.object }

  /// Whether the response has a status code that the response serializer accepts.
  open var hasAcceptableStatusCode: Bool {
    guard let status = response?.statusCode else { return false }
    return responseSerializer.acceptableStatusCodes?.contains(status) ?? true
  }

  /// Whether the response has a content type that the response serializer accepts.
  open var hasAcceptableContentType: Bool {
    guard let response else { return false }
    guard let types = responseSerializer.acceptableContentTypes else { return true }
    return types.contains(response.mimeType?.lowercased() ?? "application/octet-stream")
  }

  /// Where the success block runs; nil means ``AFURLConnectionOperation/completionQueue``.
  open var successCallbackQueue: DispatchQueue? {
    get { core.withLock { $0.successQueue } }
    set { core.withLock { $0.successQueue = newValue } }
  }

  /// Where the failure block runs; nil means ``AFURLConnectionOperation/completionQueue``.
  open var failureCallbackQueue: DispatchQueue? {
    get { core.withLock { $0.failureQueue } }
    set { core.withLock { $0.failureQueue = newValue } }
  }

  /// Sets ``AFURLConnectionOperation/completionBlock`` to one that calls one of two blocks, once: with the response object, or with the
  /// error. A cancelled operation fails.
  @preconcurrency
  open func setCompletionBlockWithSuccess(
    _ success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)?
  ) {
    completionBlock = { [weak self] in self?.tell(success, failure) }
  }

  /// The blocks as the operations of AFNetworking 1.x have them that read an object.
  func setObjectBlocks(
    _ success: (@Sendable (URLRequest, HTTPURLResponse?, Any?) -> Void)?,
    _ failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error, Any?) -> Void)?
  ) {
    setCompletionBlockWithSuccess(
      { success?($0.request, $0.response, $1) },
      failure: { failure?($0.request, $0.response, $1, $0.responseObject) })
  }

  // MARK: Classes of operations

  /// The status codes that operations of this class accept. Default: 200 to 299, and what was added.
  open class func acceptableStatusCodes() -> IndexSet {
    IndexSet(200..<300).union(AcceptableTable[self].statusCodes)
  }

  /// Has operations of this class that are made from now on accept more status codes.
  open class func addAcceptableStatusCodes(_ statusCodes: IndexSet) {
    AcceptableTable.add(to: self) { $0.statusCodes.formUnion(statusCodes) }
  }

  /// The content types that operations of this class accept; nil accepts all. Default: nil, or what was added.
  open class func acceptableContentTypes() -> Set<String>? {
    let added = AcceptableTable[self].contentTypes
    guard let own = ownContentTypes else { return added.isEmpty ? nil : added }
    return own.union(added)
  }

  /// Has operations of this class that are made from now on accept more content types.
  open class func addAcceptableContentTypes(_ contentTypes: Set<String>) {
    let lowercased = Set(contentTypes.map { $0.lowercased() })
    AcceptableTable.add(to: self) { $0.contentTypes.formUnion(lowercased) }
  }

  /// Whether a client should make an operation of this class for the request. True for this class; a subclass answers for requests that
  /// accept one of its content types, and for URLs with an extension of theirs.
  open class func canProcess(_ urlRequest: URLRequest) -> Bool {
    if self == AFHTTPRequestOperation.self { return true }
    if let type = urlRequest.url?.pathExtension.lowercased(), !type.isEmpty, pathExtensions.contains(type) {
      return true
    }
    let accepted = AcceptHeader.types(urlRequest.value(forHTTPHeaderField: "Accept"))
    return !(acceptableContentTypes() ?? []).isDisjoint(with: accepted)
  }

  // MARK: For subclasses within the module

  /// The content types of a class by itself.
  class var ownContentTypes: Set<String>? { nil }

  /// The extensions of URLs that mean this class.
  class var pathExtensions: Set<String> { [] }

  /// The serializer of a new operation, before the class's acceptable codes and types are set.
  class func makeSerializer() -> AFHTTPResponseSerializer { AFHTTPResponseSerializer() }

  private class func newSerializer() -> AFHTTPResponseSerializer {
    let serializer = makeSerializer()
    serializer.acceptableStatusCodes = acceptableStatusCodes()
    serializer.acceptableContentTypes = acceptableContentTypes()
    return serializer
  }

  override func read(_ response: HTTPURLResponse?, _ data: Data?) -> (any Error)? {
    let serializer = responseSerializer
    guard outputStream == nil else {
      do {
        try serializer.validate(response, data: nil)
        return nil
      } catch {
        return error
      }
    }
    var error: NSError?
    let object = OperationState.Handed(object: serializer.responseObject(for: response, data: data, error: &error))
    replace { $0.handed.object = object.object }
    return error
  }

  static let commonGroup = DispatchGroup()

  /// Calls one of two blocks, where they belong.
  func tell(
    _ success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    _ failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)?
  ) {
    let group = completionGroup ?? Self.commonGroup
    if let error {
      guard let failure else { return }
      let queue = failureCallbackQueue ?? completionQueue ?? .main
      queue.async(group: group) { failure(self, error) }
    } else if let success {
      let queue = successCallbackQueue ?? completionQueue ?? .main
      queue.async(group: group) { success(self, self.responseObject) }
    }
  }
}
