import AFMultipart
import AFSerialization
import Foundation
import FoundationNetworking

extension AFHTTPSessionManager {
  func call(
    _ method: String, _ url: String, _ parameters: [String: any Sendable]?, _ headers: [String: String]?,
    _ closures: TaskClosures
  ) async throws(AFError) -> AFDataResponse {
    let request = try make { try hopRequest(method, url, parameters, headers) }
    return try await validated(await perform(.data, request, closures))
  }

  func call<Value: Decodable & Sendable>(
    _ method: String, _ url: String, _ parameters: [String: any Sendable]?, _ headers: [String: String]?,
    _ closures: TaskClosures, as type: Value.Type
  ) async throws(AFError) -> Value {
    let request = try make { try hopRequest(method, url, parameters, headers) }
    return try await decode(await perform(.data, request, closures), as: type)
  }

  func send(
    _ method: String, _ url: String, _ body: some Encodable & Sendable, _ headers: [String: String]?,
    _ encoder: JSONEncoder?
  ) async throws(AFError) -> TaskResult {
    let request = try make {
      let serializer = requestSerializer
      var request = try urlRequest(method, url, nil, nil)
      if encoder != nil || serializer.makesFormsOfValues {
        request.httpBody = try (encoder ?? serializer.encoder).encode(body)
        let own = encoder == nil ? serializer.value(forHTTPHeaderField: "Content-Type") : nil
        request.setValue(own ?? "application/json", forHTTPHeaderField: "Content-Type")
      } else {
        request = try serializer.request(bySerializingRequest: request, withBody: body)
      }
      for (name, value) in headers ?? [:] { request.setValue(value, forHTTPHeaderField: name) }
      return request
    }
    return await perform(.data, HopRequest(request))
  }

  func send(
    form url: String, _ parameters: [String: any Sendable]?, _ headers: [String: String]?,
    _ block: (any AFMultipartFormData) throws -> Void, _ progress: (@Sendable (Progress) -> Void)?
  ) async throws(AFError) -> TaskResult {
    let request = try make {
      var failure: (any Error)?
      let request = try withoutActuallyEscaping(block) { block in
        try formRequest(url, parameters, headers) { form in
          do { try block(form) } catch { failure = error }
        }
      }
      if let failure { throw failure }
      return request
    }
    return await perform(.upload, HopRequest(request), TaskClosures(uploadProgress: progress))
  }

  /// Makes a request; what it throws becomes an ``AFError``.
  func make<Request>(_ body: () throws -> Request) throws(AFError) -> Request {
    do { return try body() } catch { throw AFError(error) }
  }

  /// The decoded body of a validated response: see ``BodyReading``.
  func decode<Value: Decodable & Sendable>(_ result: TaskResult, as type: Value.Type) async throws(AFError) -> Value {
    let reading = BodyReading(currentResponseSerializer(), as: type)
    let data = reading.asksSerializer ? try result.body() : try validatedBody(result)
    do {
      guard data.count > Self.inlineLimit else { return try reading.value(of: result, data) }
      return try await Self.decodeElsewhere(reading, result, data)
    } catch {
      throw result.error(error, data)
    }
  }

  @concurrent
  private static func decodeElsewhere<Value: Decodable & Sendable>(
    _ reading: BodyReading<Value>, _ result: TaskResult, _ data: Data
  ) async throws -> Value {
    try reading.value(of: result, data)
  }
}
