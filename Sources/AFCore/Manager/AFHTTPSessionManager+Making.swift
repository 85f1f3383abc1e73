import AFMultipart
import AFSerialization
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// A place for a task that its own completion needs, and which exists only after the completion was given.
final class TaskBox: Sendable {
  private let task = Locked<AFURLSessionDataTask?>(nil)

  func fill(_ task: AFURLSessionDataTask) { self.task.withLock { $0 = task } }

  /// Takes the task out, so that task and completion do not hold each other any longer.
  func take() -> AFURLSessionDataTask? {
    task.withLock { task in
      defer { task = nil }
      return task
    }
  }
}

extension AFHTTPSessionManager {
  typealias Success = @Sendable (AFURLSessionDataTask, Any?) -> Void
  typealias Failure = @Sendable (AFURLSessionDataTask?, any Error) -> Void

  func started(
    _ method: String, _ url: String, _ parameters: Any?, _ headers: [String: String]?,
    upload: (@Sendable (Progress) -> Void)? = nil, download: (@Sendable (Progress) -> Void)? = nil,
    _ success: Success?, _ failure: Failure?
  ) -> AFURLSessionDataTask? {
    let task = dataTask(
      withHTTPMethod: method, urlString: url, parameters: parameters, headers: headers, uploadProgress: upload,
      downloadProgress: download, success: success, failure: failure)
    task?.resume()
    return task
  }

  func postForm(
    _ url: String, _ parameters: Any?, _ headers: [String: String]?,
    _ block: ((any AFMultipartFormData) -> Void)?, _ progress: (@Sendable (Progress) -> Void)?,
    _ success: Success?, _ failure: Failure?
  ) -> AFURLSessionDataTask? {
    do {
      let request = try formRequest(url, parameters, headers, block)
      let box = TaskBox()
      let task = uploadTask(
        withStreamedRequest: request, progress: progress, completionHandler: Self.split(success, failure, box))
      box.fill(task)
      task.resume()
      return task
    } catch {
      report(error, failure)
      return nil
    }
  }

  /// What paths are resolved against: a subclass may override it.
  private var base: HTTPManagerCore {
    if type(of: self) == AFHTTPSessionManager.self { return http }
    let url = baseURL
    return url == http.baseURL ? http : HTTPManagerCore(baseURL: url)
  }

  /// The request of a verb.
  func urlRequest(
    _ method: String, _ path: String, _ parameters: Any?, _ headers: [String: String]?
  ) throws -> URLRequest {
    let serializer = requestSerializer
    let url = base.url(path) ?? path
    if var request = try serializer.plainRequest(withMethod: method, urlString: url, parameters: parameters) {
      if let headers { for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) } }
      return request
    }
    let request = try serializer.request(withMethod: method, urlString: url, parameters: parameters)
    for (name, value) in headers ?? [:] { request.setValue(value, forHTTPHeaderField: name) }
    return request as URLRequest
  }

  /// A request as the engine takes it, without a `URLRequest` where none is needed.
  func hopRequest(
    _ method: String, _ path: String, _ parameters: Any?, _ headers: [String: String]?
  ) throws -> HopRequest {
    guard parameters == nil, let url = base.plainURL(path),
      let plain = requestSerializer.plainParts(withMethod: method)
    else { return HopRequest(try urlRequest(method, path, parameters, headers)) }
    var request = HopRequest(
      url: url, method: method, headers: plain.headers.map { TransferRequest.HeaderField($0.name, $0.value) })
    // As for a URLRequest: 60, Foundation's default, leaves it to the session.
    if let timeout = plain.timeout, timeout != 60 { request.timeout = timeout }
    if let handlesCookies = plain.handlesCookies { request.handlesCookies = handlesCookies }
    if let cachePolicy = plain.cachePolicy { request.cachePolicy = cachePolicy }
    for (name, value) in headers ?? [:] { request.set(name, value) }
    return request
  }

  /// The request of a multipart form.
  func formRequest(
    _ path: String, _ parameters: Any?, _ headers: [String: String]?,
    _ block: ((any AFMultipartFormData) -> Void)?
  ) throws -> URLRequest {
    let fields = try AFHTTPRequestSerializer.formFields(of: parameters)
    var error: NSError?
    let request = requestSerializer.multipartFormRequest(
      withMethod: "POST", urlString: base.url(path) ?? path, parameters: fields,
      constructingBodyWith: block, error: &error)
    if let error { throw error }
    for (name, value) in headers ?? [:] { request.setValue(value, forHTTPHeaderField: name) }
    return request as URLRequest
  }

  static func withoutObject(_ success: (@Sendable (AFURLSessionDataTask) -> Void)?) -> Success? {
    guard let success else { return nil }
    return { task, _ in success(task) }
  }

  /// A completion handler that calls one of two closures.
  static func split(
    _ success: Success?, _ failure: Failure?, _ box: TaskBox
  ) -> @Sendable (URLResponse, Any?, (any Error)?) -> Void {
    { _, object, error in
      let task = box.take()
      if let error {
        failure?(task, error)
      } else if let task {
        success?(task, object)
      }
    }
  }

  /// Tells of a request that could not be made: later, like every other failure, but outside the completion group.
  func report(_ error: any Error, _ failure: Failure?) {
    guard let failure else { return }
    (completionQueue ?? .main).async { failure(nil, error) }
  }
}
