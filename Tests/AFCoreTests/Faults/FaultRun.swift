import AFCore
import AFOperations
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The client's side of one cell: a task meets the fault, and its session goes on.
struct FaultRun: Sendable {
  let cell: FaultCell
  let manager: AFURLSessionManager
  private let configuration: URLSessionConfiguration
  let directory: TemporaryDirectory
  let ends = Recorder<(any Error)?>()
  /// Small enough for HTTP/2 with this libcurl, large enough to be cut.
  static let body = TestPattern.data(count: 60_000)
  /// Only where it must be met: a busy machine is no fault.
  private static func idleTimeout(_ cell: FaultCell) -> Double { cell.fault == .stall ? 0.7 : 20 }

  init(_ cell: FaultCell, policy: AFSecurityPolicy) throws {
    self.cell = cell
    directory = try TemporaryDirectory()
    let configuration = quietConfiguration()
    configuration.timeoutIntervalForRequest = Self.idleTimeout(cell)
    self.configuration = configuration
    manager = AFURLSessionManager(sessionConfiguration: configuration)
    manager.completionQueue = DispatchQueue(label: "completions")
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = policy
  }

  /// Begins the task. Its ends, of which there must be one, are recorded.
  func start(_ url: URL) throws -> AFURLSessionTask? {
    let handler: @Sendable (URLResponse, Any?, (any Error)?) -> Void = { [ends] _, _, error in ends.record(error) }
    var request = URLRequest(url: url)
    if cell.task.isUpload { request.httpMethod = "POST" }
    let task: AFURLSessionTask
    switch cell.task {
    case .data:
      task = manager.dataTask(with: request, completionHandler: handler)
    case .uploadData:
      task = manager.uploadTask(with: request, from: Self.body, progress: nil, completionHandler: handler)
    case .uploadFile:
      let file = try directory.write(Self.body, to: "body")
      task = manager.uploadTask(with: request, fromFile: file, progress: nil, completionHandler: handler)
    case .uploadStream:
      // With its length known it may go over HTTP/2.
      request.setValue("\(Self.body.count)", forHTTPHeaderField: "Content-Length")
      request.httpBodyStream = InputStream(data: Self.body)
      task = manager.uploadTask(withStreamedRequest: request, progress: nil, completionHandler: handler)
    case .download:
      task = manager.downloadTask(
        with: request, progress: nil, destination: { [directory] _, _ in directory.file("copy") },
        completionHandler: { [ends] _, _, error in ends.record(error) })
    case .bytes:
      Task { [manager, ends, request] in
        do {
          for try await _ in try await manager.stream(for: request).chunks {}
          ends.record(nil)
        } catch {
          ends.record((error as? AFError)?.cause ?? error)
        }
      }
      return nil
    case .operation, .operationToStream:
      operation(for: request).start()
      return nil
    }
    task.resume()
    return task
  }

  /// An operation of a manager of its own, under the same policy. (A client would ask for the host's name to watch it.)
  private func operation(for request: URLRequest) -> AFHTTPRequestOperation {
    let operations = AFHTTPRequestOperationManager(baseURL: request.url, sessionConfiguration: configuration)
    operations.securityPolicy = manager.securityPolicy
    operations.responseSerializer = AFHTTPResponseSerializer()
    let operation = operations.httpRequestOperation(
      with: request, success: { [ends] _, _ in ends.record(nil) }, failure: { [ends] _, error in ends.record(error) })
    operation.completionQueue = manager.completionQueue
    if cell.task == .operationToStream { operation.outputStream = OutputStream(toMemory: ()) }
    return operation
  }

  /// Waits for the end and judges it. Returns the word for the table.
  func judge() async throws -> String {
    try await eventually(within: 30, "the end of \(cell.name)") { ends.count > 0 }
    guard let error = ends.values[0] else {
      #expect(cell.expectation == nil || cell.mayArrive, "\(cell.name) succeeded")
      return "ok"
    }
    guard let urlError = error as? URLError else {
      Issue.record("\(cell.name): \(error)")
      return "?"
    }
    #expect(cell.expectation?.contains(urlError.code) == true, "\(cell.name): \(urlError)")
    #expect(urlError.failingURL != nil, "\(cell.name)")
    #expect(try directory.contents.filter { $0 != "body" } == [], "\(cell.name): a file of a failed download")
    return Self.word(urlError.code)
  }

  /// The session does what it is told, after all that.
  func goOn(_ url: URL) async {
    var request = URLRequest(url: url)
    request.timeoutInterval = 10
    do {
      let response = try await manager.data(for: request)
      #expect(String(decoding: response.data, as: UTF8.self) == FaultScene.goodBody, "\(cell.name)")
    } catch {
      Issue.record("\(cell.name): the session is of no use any more: \(error)")
    }
    #expect(ends.count == 1, "\(cell.name) completed \(ends.count) times")
  }

  static func word(_ code: URLError.Code) -> String {
    switch code {
    case .timedOut: "timed out"
    case .cannotFindHost: "no host"
    case .cannotConnectToHost: "no connection"
    case .secureConnectionFailed: "TLS failed"
    case .networkConnectionLost: "lost"
    case .badServerResponse: "bad response"
    case .dataLengthExceedsMaximum: "too large"
    case .requestBodyStreamExhausted: "stream spent"
    default: "\(code.rawValue)"
    }
  }
}
