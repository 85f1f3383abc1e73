public import Foundation

/// What turns the bytes of a body into a `Decodable` value: `JSONDecoder`, `PropertyListDecoder`, or one of your own.
public protocol AFBodyDecoder: Sendable {
  /// Reads a value.
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - data: The body.
  /// - Returns: The value.
  /// - Throws: What is wrong with the body, usually a `DecodingError`.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: AFBodyDecoder {}
extension PropertyListDecoder: AFBodyDecoder {}

/// A value that can come of an empty body. Optionals can; so can ``AFEmptyBody``, for requests whose answer has no content.
public protocol AFEmptyBodyDecodable: Decodable {
  /// What an empty body stands for.
  static var valueOfEmptyBody: Self { get }
}

extension Optional: AFEmptyBodyDecodable where Wrapped: Decodable {
  /// Nil.
  public static var valueOfEmptyBody: Wrapped? { nil }
}

/// The value of a body without content, or whose content does not matter.
public struct AFEmptyBody: AFEmptyBodyDecodable, Hashable, Sendable {
  /// Makes the value.
  public init() {}

  /// Reads nothing.
  public init(from decoder: any Decoder) {}

  /// The value itself.
  public static var valueOfEmptyBody: AFEmptyBody { AFEmptyBody() }
}
