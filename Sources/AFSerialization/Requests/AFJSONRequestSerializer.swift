internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Makes requests whose parameters go into the body as JSON.
///
/// For methods that encode parameters in the URL (GET, HEAD and DELETE by default) it makes a query string, as
/// ``AFHTTPRequestSerializer`` does. Without parameters it adds neither body nor Content-Type.
open class AFJSONRequestSerializer: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let writing: Locked<JSONSerialization.WritingOptions>

  /// Makes a serializer with no writing options.
  public override init() {
    writing = Locked([])
    super.init()
  }

  /// Makes a serializer.
  /// - Parameter writingOptions: How the JSON is written, for example `.sortedKeys` or `.withoutEscapingSlashes`.
  public convenience init(writingOptions: JSONSerialization.WritingOptions = []) {
    self.init()
    self.writingOptions = writingOptions
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    let value = coder.decodeInteger(forKey: "writingOptions")
    writing = Locked(JSONSerialization.WritingOptions(rawValue: UInt(bitPattern: value)))
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    coder.encode(Int(bitPattern: writingOptions.rawValue), forKey: "writingOptions")
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let options = writing.withLock { $0 }
    (copy as? AFJSONRequestSerializer)?.writing.change { $0 = options }
    return copy
  }

  /// How the JSON is written. Default: none of the options; slashes are then written `\/`.
  open var writingOptions: JSONSerialization.WritingOptions {
    get { writing.withLock { $0 } }
    set { writing.change { $0 = newValue } }
  }

  /// Makes a copy of a request with default headers added, and the parameters as JSON.
  ///
  /// The Content-Type is `application/json`, unless the request or the default headers have one.
  /// - Parameters:
  ///   - request: The request to start from. It is not changed.
  ///   - parameters: An array or a dictionary of what JSON can express: texts, finite numbers, booleans, nulls, and arrays
  ///     and dictionaries with text keys, up to 512 levels.
  ///   - error: Set when the result is nil: ``AFURLRequestSerializationError`` that names the place in the parameters.
  /// - Returns: The new request, or nil if it cannot be made.
  @discardableResult
  open override func request(
    bySerializingRequest request: URLRequest,
    withParameters parameters: Any?,
    error: NSErrorPointer
  ) -> URLRequest? {
    let settings = currentSettings
    guard !settings.encodesParametersInURI(of: request) else {
      return super.request(bySerializingRequest: request, withParameters: parameters, error: error)
    }
    return error.capture {
      guard let parameters else { return try Self.request(from: request, settings: settings) }
      let object = try StructuredParameters.checked(parameters, for: .json)
      let body = try JSONSerialization.data(withJSONObject: object, options: writingOptions)
      return try Self.request(from: request, settings: settings, contentType: jsonContentType, body: body)
    }
  }

  open override func request(
    bySerializingRequest request: URLRequest,
    withBody body: any Encodable
  ) throws -> URLRequest {
    let settings = currentSettings
    guard !settings.encodesParametersInURI(of: request) else {
      return try super.request(bySerializingRequest: request, withBody: body)
    }
    let data = try settings.encoder.encode(body)
    return try Self.request(from: request, settings: settings, contentType: jsonContentType, body: data)
  }
}

private let jsonContentType = "application/json"
