internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Reads JSON. The value is what `JSONSerialization` returns: `[String: Any]`, `[Any]`, `String`, `NSNumber`, …
///
/// Default content types: `application/json`, `text/json` and `text/javascript`.
open class AFJSONResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let json: Locked<Options>

  private struct Options: Sendable {
    var readingOptions: JSONSerialization.ReadingOptions = []
    var removesKeysWithNullValues = false
  }

  static let defaultContentTypes: Set<String> = ["application/json", "text/json", "text/javascript"]

  /// Makes a serializer with no reading options.
  public override init() {
    json = Locked(Options())
    super.init()
    acceptableContentTypes = Self.defaultContentTypes
  }

  /// Makes a serializer.
  /// - Parameter readingOptions: How the JSON is read, for example `.fragmentsAllowed`.
  public convenience init(readingOptions: JSONSerialization.ReadingOptions = []) {
    self.init()
    self.readingOptions = readingOptions
  }

  /// Reads an archived serializer.
  public required init?(coder: NSCoder) {
    let value = coder.decodeInteger(forKey: "readingOptions")
    json = Locked(
      Options(
        readingOptions: JSONSerialization.ReadingOptions(rawValue: UInt(bitPattern: value)),
        removesKeysWithNullValues: coder.decodeBool(forKey: "removesKeysWithNullValues")
      ))
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if coder is CopyingCoder { return }
    coder.encode(Int(bitPattern: readingOptions.rawValue), forKey: "readingOptions")
    coder.encode(removesKeysWithNullValues, forKey: "removesKeysWithNullValues")
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let options = json.withLock { $0 }
    (copy as? AFJSONResponseSerializer)?.json.withLock { $0 = options }
    return copy
  }

  /// How the JSON is read. Default: none of the options; a text, number, boolean or null alone is then an error.
  open var readingOptions: JSONSerialization.ReadingOptions {
    get { json.withLock { $0.readingOptions } }
    set { json.withLock { $0.readingOptions = newValue } }
  }

  /// Whether nulls are taken out: see ``AFJSONObjectByRemovingKeysWithNullValues(_:_:)``. Default: false.
  open var removesKeysWithNullValues: Bool {
    get { json.withLock { $0.removesKeysWithNullValues } }
    set { json.withLock { $0.removesKeysWithNullValues = newValue } }
  }

  /// Gives the JSON value of a body.
  ///
  /// A refused content type gives no value. A refused status code gives the value *and* the error. An empty body, or one
  /// space, which some servers send for it, gives neither value nor error of its own. The text may be UTF-8, with or
  /// without a byte order mark, UTF-16 or UTF-32; the `charset` of the Content-Type has no meaning for JSON (RFC 8259 §11).
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set if the response is refused, to ``AFURLResponseSerializationError``; or if the body cannot be read, to
  ///     Foundation's error with the other one underneath.
  /// - Returns: The value, or nil.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    decode(response, data: data, error: error) { data in
      guard !JSONBody.isEmpty(data) else { return nil }
      let options = readingOptions
      try NoRoomForDocument.check(DecodedSize.ofJSON(data))
      let object = try JSONSerialization.jsonObject(with: data, options: options)
      guard removesKeysWithNullValues else { return object }
      return AFJSONObjectByRemovingKeysWithNullValues(object, options)
    }
  }
}
