public import Foundation

extension AFHTTPSessionManager {
  /// Sends a POST request with a value as its JSON body.
  /// - Parameters:
  ///   - urlString: A URL, or a path that is resolved against the base URL.
  ///   - body: The value.
  ///   - headers: Header fields of this request alone; they replace others of the same name.
  ///   - encoder: What writes the JSON.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``; its cause is an `EncodingError` if the value cannot be written.
  public func post(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder = JSONEncoder()
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send("POST", urlString, body, headers, encoder))
  }

  /// Sends a POST request with a value as its JSON body, and decodes the JSON body of its response.
  public func post<Value: Decodable & Sendable>(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder = JSONEncoder(), as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send("POST", urlString, body, headers, encoder), as: type)
  }

  /// Sends a PUT request with a value as its JSON body.
  public func put(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder = JSONEncoder()
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send("PUT", urlString, body, headers, encoder))
  }

  /// Sends a PUT request with a value as its JSON body, and decodes the JSON body of its response.
  public func put<Value: Decodable & Sendable>(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder = JSONEncoder(), as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send("PUT", urlString, body, headers, encoder), as: type)
  }

  /// Sends a PATCH request with a value as its JSON body.
  public func patch(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder = JSONEncoder()
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send("PATCH", urlString, body, headers, encoder))
  }

  /// Sends a PATCH request with a value as its JSON body, and decodes the JSON body of its response.
  public func patch<Value: Decodable & Sendable>(
    _ urlString: String, body: some Encodable & Sendable, headers: [String: String]? = nil,
    encoder: JSONEncoder = JSONEncoder(), as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send("PATCH", urlString, body, headers, encoder), as: type)
  }
}
