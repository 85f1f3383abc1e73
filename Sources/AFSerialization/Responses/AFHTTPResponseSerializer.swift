internal import AFSupport
internal import CInitializers
public import Foundation
public import FoundationNetworking

/// Checks status code and content type of a response, and gives its body as `Data`.
///
/// Its subclasses read the body. All members may be used from any thread. A subclass restates `@unchecked Sendable` and
/// usually overrides ``responseObject(for:data:error:)``; see <doc:SubclassingSerializers>.
open class AFHTTPResponseSerializer: NSObject, AFURLResponseSerialization, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let state: Locked<HTTPResponseSettings>

  final var settings: HTTPResponseSettings {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Makes a serializer that accepts status codes 200 to 299 and every content type.
  public override init() {
    state = Locked(HTTPResponseSettings())
    super.init()
  }

  /// What copies are made by, through CInitializers: `self.init()` is that of the class which is made.
  package convenience init(fresh: Void) { self.init() }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    state = Locked(HTTPResponseSettings(coder: coder))
    super.init()
  }

  /// True: archives of serializers are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives every option.
  open func encode(with coder: NSCoder) {
    if !(coder is CopyingCoder) { settings.encode(with: coder) }
  }

  /// Makes a serializer of the same class with every option of this one.
  ///
  /// A subclass is made by its `init()`, or by `init(coder:)` if it encodes something: see <doc:SubclassingSerializers>.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = copied { made(type(of: self), af_make_response_serializer) }
    copy.settings = settings
    return copy
  }

  /// The status codes that are no error; nil accepts all. Default: 200 to 299.
  open var acceptableStatusCodes: IndexSet? {
    get { state.withLock { $0.acceptableStatusCodes } }
    set { state.withLock { $0.acceptableStatusCodes = newValue } }
  }

  /// The content types that are no error, in lower case and without parameters such as `charset`; nil accepts all.
  /// Default: nil. Subclasses have others.
  open var acceptableContentTypes: Set<String>? {
    get { state.withLock { $0.acceptableContentTypes } }
    set { state.withLock { $0.acceptableContentTypes = newValue } }
  }

  /// Checks content type and status code of a response.
  ///
  /// Nothing is checked without a response. The content type is checked first: it is wrong if it is not among the acceptable
  /// ones; a missing one is accepted with an empty body. A wrong one is an error only if there is a body, since
  /// otherwise nothing can be misread. The status code comes second, and its error has the one about the content type
  /// underneath. Responses without URL are never refused.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  /// - Throws: ``AFURLResponseSerializationError``.
  open func validate(_ response: HTTPURLResponse?, data: Data?) throws {
    guard let response else { return }
    // Through `self`: a subclass may override either.
    let (types, codes) = (acceptableContentTypes, acceptableStatusCodes)
    if let error = HTTPResponseSettings.fault(in: response, data: data, types: types, codes: codes) { throw error }
  }

  /// Gives the body as `Data`, also when the response is refused.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set if ``validate(_:data:)`` refuses the response.
  /// - Returns: The body.
  @discardableResult
  open func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    _ = error.capture { try validate(response as? HTTPURLResponse, data: data) }
    return data
  }
}

extension AFHTTPResponseSerializer {
  /// The encoding of texts whose encoding is told by nothing else. Default: UTF-8.
  ///
  /// ``AFStringResponseSerializer`` uses it. AFNetworking had it until version 3 and used it nowhere.
  public var stringEncoding: UInt {
    get { settings.stringEncoding }
    set { state.withLock { $0.stringEncoding = newValue } }
  }
}
