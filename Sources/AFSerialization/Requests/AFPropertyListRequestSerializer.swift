internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Makes requests whose parameters go into the body as a property list.
///
/// For methods that encode parameters in the URL (GET, HEAD and DELETE by default) it makes a query string, as
/// ``AFHTTPRequestSerializer`` does. Without parameters it adds neither body nor Content-Type.
open class AFPropertyListRequestSerializer: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let plist: Locked<Options>

  private struct Options: Sendable {
    var format = PropertyListSerialization.PropertyListFormat.xml
    var writeOptions: PropertyListSerialization.WriteOptions = 0
    var encoder = PropertyListEncoder()
  }

  /// Makes a serializer that writes XML.
  public override init() {
    plist = Locked(Options())
    super.init()
  }

  /// Makes a serializer.
  /// - Parameters:
  ///   - format: XML or binary.
  ///   - writeOptions: Not used by Foundation; pass 0.
  public convenience init(
    format: PropertyListSerialization.PropertyListFormat,
    writeOptions: PropertyListSerialization.WriteOptions
  ) {
    self.init()
    self.format = format
    self.writeOptions = writeOptions
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    let format = UInt(bitPattern: coder.decodeInteger(forKey: "format"))
    plist = Locked(
      Options(
        format: PropertyListSerialization.PropertyListFormat(rawValue: format) ?? .xml,
        writeOptions: coder.decodeInteger(forKey: "writeOptions")
      ))
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    coder.encode(Int(bitPattern: format.rawValue), forKey: "format")
    coder.encode(writeOptions, forKey: "writeOptions")
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let options = plist.withLock { $0 }
    (copy as? AFPropertyListRequestSerializer)?.plist.change { $0 = options }
    return copy
  }

  /// XML or binary. Default: XML.
  open var format: PropertyListSerialization.PropertyListFormat {
    get { plist.withLock { $0.format } }
    set { plist.withLock { $0.format = newValue } }
  }

  /// Not used by Foundation. Default: 0.
  open var writeOptions: PropertyListSerialization.WriteOptions {
    get { plist.withLock { $0.writeOptions } }
    set { plist.withLock { $0.writeOptions = newValue } }
  }

  /// What turns `Encodable` bodies into property lists; its `outputFormat` counts for them, not ``format``.
  ///
  /// It is not archived. Copies share it: set it up before you assign it, and assign another one to change it.
  open var propertyListEncoder: PropertyListEncoder {
    get { plist.withLock { $0.encoder } }
    set { plist.change { $0.encoder = newValue } }
  }

  /// Makes a copy of a request with default headers added, and the parameters as a property list.
  ///
  /// The Content-Type is `application/x-plist`, unless the request or the default headers have one.
  /// - Parameters:
  ///   - request: The request to start from. It is not changed.
  ///   - parameters: What property lists can express: texts, numbers, booleans, dates, data, and arrays and dictionaries with
  ///     text keys, up to 512 levels; no nulls.
  ///   - error: Set when the result is nil: ``AFURLRequestSerializationError`` that names the place in the parameters, or
  ///     Foundation's error.
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
      let object = try StructuredParameters.checked(parameters, for: .propertyList)
      let body = try PropertyListSerialization.data(
        fromPropertyList: object, format: format, options: writeOptions)
      return try Self.request(from: request, settings: settings, contentType: plistContentType, body: body)
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
    let data = try propertyListEncoder.encode(body)
    return try Self.request(from: request, settings: settings, contentType: plistContentType, body: data)
  }
}

private let plistContentType = "application/x-plist"
