import AFSerialization
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension AFURLSessionManager {
  /// Runs a request to its end. Cancelling the Swift task cancels it, at once.
  ///
  /// No queue lies between the engine and the caller, unless progress has to be told first.
  func perform(
    _ kind: TaskKind, _ request: HopRequest, _ closures: TaskClosures = TaskClosures(), isStreamed: Bool = false,
    resume: ResumeSource? = nil
  ) async -> TaskResult {
    let task = session.core.makeTask(
      kind, request, manager: self, blocks: core.blocks, closures: closures, completion: .none, starts: true)
    if let refusal = refusal(for: request.url) { task.refuse(refusal) }
    if let resume { DownloadResumption(task: task).begin(with: resume.data, resume.value) }
    if isStreamed { task.state.withLock { $0.ledger.wantsFirstStream = true } }
    return await task.run()
  }

  /// The result as a validated response.
  func validated(_ result: TaskResult) async throws(AFError) -> AFDataResponse {
    let data = try result.body()
    let serializer = currentResponseSerializer()
    let head = result.head
    switch type(of: serializer) {
    case is AFJSONResponseSerializer.Type where type(of: serializer) == AFJSONResponseSerializer.self:
      guard serializer.acceptsWithoutAsking(head, data) else { break }
      return try await serialized(result, serializer, nil, head, data)
    case is AFHTTPResponseSerializer.Type where type(of: serializer) == AFHTTPResponseSerializer.self:
      guard serializer.acceptsWithoutAsking(head, data) else { break }
      return AFDataResponse(result.task, head: head, data: data, value: data)
    default: break
    }
    return try await serialized(result, serializer, result.task.httpResponse, head, data)
  }

  /// Bodies up to this size are parsed where the caller runs: a switch of threads would take longer.
  static var inlineLimit: Int { 64 << 10 }

  private func serialized(
    _ result: TaskResult, _ serializer: any AFURLResponseSerialization, _ response: URLResponse?,
    _ head: ResponseHead?, _ data: Data
  ) async throws(AFError) -> AFDataResponse {
    guard data.count > Self.inlineLimit else { return try Self.serialize(result, serializer, response, head, data) }
    return try await Self.serializeElsewhere(result, serializer, response, head, data)
  }

  @concurrent
  private static func serializeElsewhere(
    _ result: TaskResult, _ serializer: any AFURLResponseSerialization, _ response: URLResponse?,
    _ head: ResponseHead?, _ data: Data
  ) async throws(AFError) -> AFDataResponse {
    try serialize(result, serializer, response, head, data)
  }

  private static func serialize(
    _ result: TaskResult, _ serializer: any AFURLResponseSerialization, _ response: URLResponse?,
    _ head: ResponseHead?, _ data: Data
  ) throws(AFError) -> AFDataResponse {
    var error: NSError?
    let value = serializer.responseObject(for: response, data: data, error: &error)
    if let error { throw result.error(error, data, value: value) }
    return AFDataResponse(result.task, head: head, data: data, value: value)
  }

  /// The body, after the response serializer has found nothing wrong with the response.
  func validatedBody(_ result: TaskResult) throws(AFError) -> Data {
    let data = try result.body()
    let serializer = currentResponseSerializer()
    if serializer.acceptsWithoutAsking(result.head, data) { return data }
    do {
      if let serializer = serializer as? AFHTTPResponseSerializer {
        try serializer.validate(result.task.httpResponse, data: data)
      }
      return data
    } catch {
      throw result.error(error, data)
    }
  }

}

extension AFURLResponseSerialization {
  /// Whether a serializer of ours accepts a response, found without making Foundation's object of it. False may also mean
  /// that it has to be asked.
  func acceptsWithoutAsking(_ head: ResponseHead?, _ data: Data) -> Bool {
    guard let head, type(of: self) == AFJSONResponseSerializer.self || type(of: self) == AFHTTPResponseSerializer.self,
      let serializer = self as? AFHTTPResponseSerializer
    else { return false }
    if let codes = serializer.acceptableStatusCodes, !codes.contains(head.statusCode) { return false }
    guard !data.isEmpty, let types = serializer.acceptableContentTypes else { return true }
    guard let field = head.value("Content-Type") else { return false }
    let type = field.prefix { $0 != ";" }
    return types.contains(String(type)) || types.contains(type.trimmingCharacters(in: .whitespaces).lowercased())
  }
}

extension TaskResult {
  var head: ResponseHead? { task.state.withLock { $0.answer.head } }

  /// The body of a task that did not fail.
  func body() throws(AFError) -> Data {
    if let error { throw self.error(error, data) }
    return data ?? Data()
  }

  /// `cause` with everything there is of the task.
  func error(_ cause: any Error, _ data: Data?, value: Any? = nil) -> AFError {
    AFError(
      cause, request: task.state.withLock { $0.current }.urlRequest, response: task.httpResponse, data: data,
      value: value, resumeData: resumeData)
  }
}
