public import Foundation

extension AFHTTPSessionManager {
  /// Sends a POST request with a value as its body.
  ///
  /// The `encoder` that is given here comes first, and writes JSON. Without it the manager's `requestSerializer` decides: an
  /// `AFJSONRequestSerializer` writes JSON by its `encoder`, an `AFPropertyListRequestSerializer` a property list by its
  /// `propertyListEncoder`, a subclass that overrides `request(bySerializingRequest:withBody:)` what it likes. The plain
  /// `AFHTTPRequestSerializer`, which is the default, writes JSON by its `encoder` too: forms are for parameters.
  /// - Parameters:
  ///   - urlString: A URL, or a path that is resolved against the base URL.
  ///   - body: The value.
  ///   - headers: Header fields of this request alone; they replace others of the same name.
  ///   - encoder: What writes the body as JSON; nil leaves it to the request serializer.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``; its cause is an `EncodingError` if the value cannot be written.
  public func post(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send("POST", urlString, body, headers, encoder))
  }

  /// Sends a POST request with a value as its body, and decodes the body of its response.
  public func post<Value: Decodable & Sendable>(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder? = nil, as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send("POST", urlString, body, headers, encoder), as: type)
  }

  /// Sends a PUT request with a value as its body.
  public func put(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send("PUT", urlString, body, headers, encoder))
  }

  /// Sends a PUT request with a value as its body, and decodes the body of its response.
  public func put<Value: Decodable & Sendable>(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder? = nil, as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send("PUT", urlString, body, headers, encoder), as: type)
  }

  /// Sends a PATCH request with a value as its body.
  public func patch(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send("PATCH", urlString, body, headers, encoder))
  }

  /// Sends a PATCH request with a value as its body, and decodes the body of its response.
  public func patch<Value: Decodable & Sendable>(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder? = nil, as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send("PATCH", urlString, body, headers, encoder), as: type)
  }
}
