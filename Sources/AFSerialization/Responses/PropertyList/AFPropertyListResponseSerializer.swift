internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Reads property lists: XML, binary or OpenStep. Default content type: `application/x-plist`.
open class AFPropertyListResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let plist: Locked<Options>

  private struct Options: Sendable {
    var format = PropertyListSerialization.PropertyListFormat.xml
    var readOptions: PropertyListSerialization.ReadOptions = []
  }

  /// Makes a serializer with no reading options.
  public override init() {
    plist = Locked(Options())
    super.init()
    acceptableContentTypes = ["application/x-plist"]
  }

  /// Makes a serializer.
  /// - Parameters:
  ///   - format: Kept, but not used: the format is found by looking at the body.
  ///   - readOptions: Whether containers and texts are mutable.
  public convenience init(
    format: PropertyListSerialization.PropertyListFormat,
    read readOptions: PropertyListSerialization.ReadOptions = []
  ) {
    self.init()
    self.format = format
    self.readOptions = readOptions
  }

  /// Makes a serializer: ``init(format:read:)`` in another spelling.
  /// - Parameters:
  ///   - format: Kept, but not used: the format is found by looking at the body.
  ///   - readOptions: Whether containers and texts are mutable.
  public convenience init(
    format: PropertyListSerialization.PropertyListFormat,
    readOptions: PropertyListSerialization.ReadOptions
  ) {
    self.init(format: format, read: readOptions)
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    let format = UInt(bitPattern: coder.decodeInteger(forKey: "format"))
    let readOptions = UInt(bitPattern: coder.decodeInteger(forKey: "readOptions"))
    plist = Locked(
      Options(
        format: PropertyListSerialization.PropertyListFormat(rawValue: format) ?? .xml,
        readOptions: PropertyListSerialization.ReadOptions(rawValue: readOptions)
      ))
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    coder.encode(Int(bitPattern: format.rawValue), forKey: "format")
    coder.encode(Int(bitPattern: readOptions.rawValue), forKey: "readOptions")
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let options = plist.withLock { $0 }
    (copy as? AFPropertyListResponseSerializer)?.plist.withLock { $0 = options }
    return copy
  }

  /// Kept, but not used: the format is found by looking at the body. Default: XML.
  open var format: PropertyListSerialization.PropertyListFormat {
    get { plist.withLock { $0.format } }
    set { plist.withLock { $0.format = newValue } }
  }

  /// Whether containers and texts are mutable. Default: they are not.
  open var readOptions: PropertyListSerialization.ReadOptions {
    get { plist.withLock { $0.readOptions } }
    set { plist.withLock { $0.readOptions = newValue } }
  }

  /// Gives the property list of a body.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set if the response is refused; or if the body cannot be read, to Foundation's error with the other one
  ///     underneath.
  /// - Returns: The property list; nil also, without an error, for an empty body.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    decode(response, data: data, error: error) { data in
      guard !data.isEmpty else { return nil }
      try PropertyListGuard.check(data)
      return try PropertyListSerialization.propertyList(from: data, options: readOptions, format: nil)
    }
  }
}
