import AFSerialization
import Foundation
import FoundationNetworking

/// How the body of a response becomes a value of the type that a caller asked for, by the manager's response serializer:
///
/// 1. An `AFDecodableResponseSerializer` of that type gives it; one of another type lends its decoder.
/// 2. An `AFPropertyListResponseSerializer` means a `PropertyListDecoder`, and everything else of ours a `JSONDecoder`.
/// 3. Any other serializer, an app's subclass above all, is asked. What it gives is the value, or is decoded in place of the body if
///    it is data, or what JSON can express.
struct BodyReading<Value: Decodable & Sendable>: Sendable {
  private let serializer: any AFURLResponseSerialization
  private let decoder: any AFBodyDecoder
  /// Whether the serializer reads the response, and so checks it too.
  let asksSerializer: Bool

  init(_ serializer: any AFURLResponseSerialization, as type: Value.Type) {
    self.serializer = serializer
    decoder = Self.decoder(of: serializer)
    asksSerializer =
      serializer is AFDecodableResponseSerializer<Value> || !(serializer is any BodyDecoding || Self.isOurs(serializer))
  }

  /// The value of the body of a response.
  func value(of result: TaskResult, _ data: Data) throws -> Value {
    guard asksSerializer else { return try decoded(data) }
    let response = result.task.httpResponse
    if let serializer = serializer as? AFDecodableResponseSerializer<Value> {
      return try serializer.value(for: response, data: data)
    }
    var error: NSError?
    let object = serializer.responseObject(for: response, data: data, error: &error)
    if let error { throw error }
    switch object {
    case let value as Value where !(value is any OptionalValue): return value
    case let other as Data: return try decoded(other)
    case let object? where JSONSerialization.isValidJSONObject([object]):
      return try decoded(JSONSerialization.data(withJSONObject: object, options: .fragmentsAllowed))
    default: return try decoded(data)
    }
  }

  private func decoded(_ data: Data) throws -> Value {
    if let data = data as? Value { return data }
    return try AFDecodableResponseSerializer<Value>.decoded(data, by: decoder)
  }

  private static func decoder(of serializer: any AFURLResponseSerialization) -> any AFBodyDecoder {
    switch serializer {
    case let serializer as any BodyDecoding: return serializer.decoder
    case is AFPropertyListResponseSerializer: return PropertyListDecoder()
    default: return JSONDecoder()
    }
  }

  private static func isOurs(_ serializer: any AFURLResponseSerialization) -> Bool {
    let type = type(of: serializer)
    return type == AFJSONResponseSerializer.self || type == AFHTTPResponseSerializer.self
      || type == AFPropertyListResponseSerializer.self || type == AFStringResponseSerializer.self
      || type == AFXMLParserResponseSerializer.self || type == AFXMLDocumentResponseSerializer.self
  }
}

private protocol OptionalValue {}
extension Optional: OptionalValue {}
