public import AFMultipart
public import Foundation

// The twins of the closure verbs: same names, same parameters, no closures.

extension AFHTTPSessionManager {
  /// Sends a GET request; `parameters` become its query.
  /// - Parameters:
  ///   - urlString: A URL, or a path that is resolved against the base URL.
  ///   - parameters: What the request serializer takes.
  ///   - headers: Header fields of this request alone; they replace others of the same name.
  ///   - progress: Told on the manager's callback queue how much has come.
  /// - Returns: The response, validated, with what the response serializer made of its body.
  /// - Throws: ``AFError``.
  public func get(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await call("GET", urlString, parameters, headers, TaskClosures(downloadProgress: progress))
  }

  /// Sends a GET request and decodes the body of its response.
  ///
  /// The manager's `responseSerializer` decides how: an `AFDecodableResponseSerializer` by its `decoder`, an
  /// `AFPropertyListResponseSerializer` as a property list, the others of this package as JSON. A subclass of the app's is asked: what it
  /// gives is the value, or, if it is data or a JSON object, what is decoded in place of the body.
  public func get<Value: Decodable & Sendable>(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    progress: (@Sendable (Progress) -> Void)? = nil, as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await call("GET", urlString, parameters, headers, TaskClosures(downloadProgress: progress), as: type)
  }

  /// Sends a HEAD request; `parameters` become its query.
  public func head(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await call("HEAD", urlString, parameters, headers, TaskClosures())
  }

  /// Sends a POST request; `parameters` become its body.
  public func post(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await call("POST", urlString, parameters, headers, TaskClosures(uploadProgress: progress))
  }

  /// Sends a POST request and decodes the body of its response.
  public func post<Value: Decodable & Sendable>(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    progress: (@Sendable (Progress) -> Void)? = nil, as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await call("POST", urlString, parameters, headers, TaskClosures(uploadProgress: progress), as: type)
  }

  /// Sends a multipart form, streamed.
  /// - Parameters:
  ///   - urlString: A URL, or a path that is resolved against the base URL.
  ///   - parameters: Fields of the form.
  ///   - headers: Header fields of this request alone.
  ///   - block: Appends the parts. It runs before anything is sent.
  ///   - progress: Told on the manager's callback queue how much has been sent.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``.
  public func post(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    constructingBodyWith block: (any AFMultipartFormData) throws -> Void,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await validated(try await send(form: urlString, parameters, headers, block, progress))
  }

  /// Sends a multipart form, streamed, and decodes the body of its response.
  public func post<Value: Decodable & Sendable>(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    constructingBodyWith block: (any AFMultipartFormData) throws -> Void,
    progress: (@Sendable (Progress) -> Void)? = nil, as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await decode(try await send(form: urlString, parameters, headers, block, progress), as: type)
  }

  /// Sends a PUT request; `parameters` become its body.
  public func put(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await call("PUT", urlString, parameters, headers, TaskClosures())
  }

  /// Sends a PUT request and decodes the body of its response.
  public func put<Value: Decodable & Sendable>(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await call("PUT", urlString, parameters, headers, TaskClosures(), as: type)
  }

  /// Sends a PATCH request; `parameters` become its body.
  public func patch(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await call("PATCH", urlString, parameters, headers, TaskClosures())
  }

  /// Sends a PATCH request and decodes the body of its response.
  public func patch<Value: Decodable & Sendable>(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await call("PATCH", urlString, parameters, headers, TaskClosures(), as: type)
  }

  /// Sends a DELETE request; `parameters` become its query.
  public func delete(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await call("DELETE", urlString, parameters, headers, TaskClosures())
  }

  /// Sends a DELETE request and decodes the body of its response.
  public func delete<Value: Decodable & Sendable>(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    as type: Value.Type = Value.self
  ) async throws(AFError) -> Value {
    try await call("DELETE", urlString, parameters, headers, TaskClosures(), as: type)
  }

  /// Downloads a file by GET; see ``AFURLSessionManager/download(for:to:progress:)``.
  @discardableResult
  public func download(
    _ urlString: String, parameters: [String: any Sendable]? = nil, headers: [String: String]? = nil,
    to destination: URL, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    let request = try make { try urlRequest("GET", urlString, parameters, headers) }
    return try await download(for: request, to: destination, progress: progress)
  }
}
