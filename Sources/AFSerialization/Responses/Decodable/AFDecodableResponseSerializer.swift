internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Reads a `Decodable` value, from JSON unless told otherwise.
///
/// ```swift
/// let decoder = JSONDecoder()
/// decoder.dateDecodingStrategy = .iso8601
/// let serializer = AFDecodableResponseSerializer<[User]>(decoder: decoder)
/// let users = try serializer.value(for: response, data: data)
/// ```
///
/// Default content types: those of ``AFJSONResponseSerializer``. With another decoder, set `acceptableContentTypes` too.
/// Archives have no place for the type: one of this serializer is read back as ``AFHTTPResponseSerializer``.
open class AFDecodableResponseSerializer<Value: Decodable>: AFHTTPResponseSerializer, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the lock is all it stores.
  private let state: Locked<any AFBodyDecoder>

  /// Makes a serializer that reads JSON with a plain `JSONDecoder`.
  public override init() {
    state = Locked(JSONDecoder())
    super.init()
    acceptableContentTypes = AFJSONResponseSerializer.defaultContentTypes
  }

  /// Makes a serializer.
  /// - Parameter decoder: What reads the body.
  public convenience init(decoder: any AFBodyDecoder) {
    self.init()
    self.decoder = decoder
  }

  /// Reads an archived serializer; its decoder is a plain `JSONDecoder`.
  public required init?(coder: NSCoder) {
    state = Locked(JSONDecoder())
    super.init(coder: coder)
  }

  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone)
    let decoder = state.withLock { $0 }
    (copy as? AFDecodableResponseSerializer)?.state.change { $0 = decoder }
    return copy
  }

  /// The class that archives name. Foundation on Linux cannot name a generic class, and stops the program if asked to.
  open override var classForCoder: AnyClass { AFHTTPResponseSerializer.self }

  /// What reads the body. Default: a plain `JSONDecoder`.
  ///
  /// Copies share it: set it up before you assign it, and assign another one to change it.
  open var decoder: any AFBodyDecoder {
    get { state.withLock { $0 } }
    set { state.change { $0 = newValue } }
  }

  /// Gives the value of a body.
  ///
  /// A refused status code gives the error *and*, if the body can be read as one, the value. If it cannot, the error is
  /// still the one about the status code: that an error page has another form is no news.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  ///   - error: Set to ``AFURLResponseSerializationError``, with the decoder's error in
  ///     ``AFURLResponseSerializationError/cause`` if the body cannot be read.
  /// - Returns: A `Value`; nil if there is none.
  @discardableResult
  open override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    var refusal: NSError?
    let value = decode(response, data: data ?? Data(), error: &refusal) { try read($0, of: response).withoutOptional }
    guard let refusal else { return value }
    guard let error else { return nil }
    error.pointee = Self.statusError(of: refusal) ?? refusal
    return value
  }

  /// Gives the value of a body, or throws.
  /// - Parameters:
  ///   - response: The response.
  ///   - data: Its body.
  /// - Returns: The value.
  /// - Throws: What ``responseObject(for:data:error:)`` reports.
  public final func value(for response: URLResponse?, data: Data?) throws -> Value {
    var error: NSError?
    let object = responseObject(for: response, data: data, error: &error)
    if let error { throw error }
    guard let value = object as? Value else {
      throw AFURLResponseSerializationError(.emptyBody, response: response, data: data)
    }
    return value
  }

  /// The error about the status code that stands behind one about the body.
  private static func statusError(of error: NSError) -> AFURLResponseSerializationError? {
    switch (error as? AFURLResponseSerializationError)?.reason {
    case .undecodableBody, .emptyBody: error.userInfo[NSUnderlyingErrorKey] as? AFURLResponseSerializationError
    default: nil
    }
  }

  /// What the decoders of Foundation do not look at, or not before it is too late.
  private static func check(_ data: Data, for decoder: any AFBodyDecoder) throws {
    switch decoder {
    case let decoder as JSONDecoder:
      try NoRoomForDocument.check(DecodedSize.ofDecodedJSON(data))
      if !decoder.allowsJSON5 { try JSONTextCheck.check(data) }
    case is PropertyListDecoder: try PropertyListGuard.check(data)
    default: break
    }
  }

  /// The value of a body, with nothing said of the response in errors.
  package static func decoded(_ data: Data, by decoder: any AFBodyDecoder) throws -> Value {
    if JSONBody.isEmpty(data), let type = Value.self as? any AFEmptyBodyDecodable.Type,
      let value = type.valueOfEmptyBody as? Value
    {
      return value
    }
    try check(data, for: decoder)
    return try decoder.decode(Value.self, from: data)
  }

  private func read(_ data: Data, of response: URLResponse?) throws -> Value {
    if JSONBody.isEmpty(data) {
      guard let type = Value.self as? any AFEmptyBodyDecodable.Type, let value = type.valueOfEmptyBody as? Value else {
        throw AFURLResponseSerializationError(.emptyBody, response: response, data: data)
      }
      return value
    }
    do {
      return try Self.decoded(data, by: decoder)
    } catch {
      throw AFURLResponseSerializationError(
        .undecodableBody(problem: "the body is no \(Value.self): \(DecodingProblem.text(of: error, in: data))"),
        response: response, data: data, cause: error)
    }
  }
}

extension Decodable {
  /// The value itself, or nil if it is an optional without one.
  fileprivate var withoutOptional: Any? {
    guard let optional = self as? any OptionalParameter else { return self }
    return optional.wrappedParameter
  }
}

/// A serializer that has a decoder, whatever it decodes.
package protocol BodyDecoding {
  var decoder: any AFBodyDecoder { get }
}

extension AFDecodableResponseSerializer: BodyDecoding {}
