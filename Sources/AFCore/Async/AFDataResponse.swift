import AFSupport
import AFTransport
public import Foundation
public import FoundationNetworking

/// A response with its body, validated.
public struct AFDataResponse: Sendable {
  // Unchecked because `Any` is not Sendable; the serializer made the value for this response alone.
  private struct Value: @unchecked Sendable {
    let object: Any?
  }

  private let task: TaskCore
  private let head: ResponseHead?
  private let serialized: Value

  /// The body, decoded if it was compressed.
  public let data: Data

  init(_ task: TaskCore, head: ResponseHead?, data: Data, value: Any?) {
    self.task = task
    self.head = head
    self.data = data
    serialized = Value(object: value)
  }

  /// What the manager's response serializer made of the body: a JSON object, the data itself, … Nil for an empty body.
  public var value: Any? { serialized.object }

  /// The status code.
  public var statusCode: Int { head?.statusCode ?? 0 }

  /// The value of a header field, by any letter case of its name; of the first if it came several times.
  public func value(forHTTPHeaderField field: String) -> String? { head?.value(field) }

  /// The values of every field of this name, in order. Unlike `response` it keeps them apart.
  public func values(forHTTPHeaderField field: String) -> [String] { head?.values(field) ?? [] }

  /// The value of a trailer field, which came behind the body (RFC 9110 §6.5), by any letter case of its name; of the first if it
  /// came several times. See ``AFURLSessionTask/trailers``.
  public func value(forHTTPTrailerField field: String) -> String? { trailerFields?.value(field) }

  /// The trailer fields by name; those of one name are joined with ", ". Empty if there are none.
  public var trailers: [String: String] { trailerFields?.dictionary ?? [:] }

  private var trailerFields: ResponseHead? { task.state.withLock { $0.answer.trailers } }

  /// Status line and fields as Foundation has them. Made when it is asked for.
  public var response: HTTPURLResponse? { task.httpResponse }

  /// The request that was answered; differs from the one that was made after a redirect.
  public var request: URLRequest? { task.state.withLock { $0.current }.urlRequest }

  /// The metrics, if the manager's metrics block is set or the class is a subclass; otherwise none are collected.
  public var metrics: AFURLSessionTaskMetrics? { task.metrics }
}
