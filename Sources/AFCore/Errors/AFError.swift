import AFSerialization
public import Foundation
public import FoundationNetworking

/// What an asynchronous call throws: why it failed, and whatever there is of request, response and body.
///
/// The cause is one of these:
///
///     AFError
///     ├─ URLError                            the transfer failed, was cancelled, or timed out
///     ├─ AFURLRequestSerializationError      the request cannot be made
///     ├─ AFURLResponseSerializationError     status or content type is not acceptable
///     ├─ DecodingError, CocoaError, …        the body cannot be read
///     └─ AFInvalidSecurityPolicyError, …     the manager is set up wrongly
///
/// As an `NSError` it has domain and code of its cause, and AFNetworking's keys for response and body.
public final class AFError: NSError, @unchecked Sendable {
  // Unchecked because NSError is; what is added is constants, and `value` is not touched by anybody after it was made.

  /// What went wrong.
  public let cause: any Error
  /// The request that was sent last, or that could not be made.
  public let request: URLRequest?
  /// The response, if one came.
  public let response: HTTPURLResponse?
  /// The body, or as much of it as came.
  public let data: Data?
  /// What the response serializer made of the body in spite of the error.
  public let value: Any?

  init(
    _ cause: any Error, request: URLRequest? = nil, response: HTTPURLResponse? = nil, data: Data? = nil,
    value: Any? = nil, resumeData: Data? = nil
  ) {
    self.cause = cause
    self.request = request
    self.response = response
    self.data = data
    self.value = value
    let bridged = cause as NSError
    var info = bridged.userInfo
    info[NSLocalizedDescriptionKey] = cause.localizedDescription
    if let response { info[AFNetworkingOperationFailingURLResponseErrorKey] = response }
    if let data { info[AFNetworkingOperationFailingURLResponseDataErrorKey] = data }
    if let resumeData { info[resumeDataKey] = resumeData }
    if info[NSURLErrorFailingURLErrorKey] == nil, let url = request?.url { info[NSURLErrorFailingURLErrorKey] = url }
    super.init(domain: bridged.domain, code: bridged.code, userInfo: info)
  }

  /// One line: what went wrong and the URL, without what is secret in it. Request, response and body are in the properties.
  public override var description: String { shownDescription }

  /// The same as ``description``.
  public override var debugDescription: String { shownDescription }

  /// Not archived: an error that carries a response and a value cannot be.
  public required init?(coder: NSCoder) { nil }

  /// The cause, if the transfer failed.
  public var urlError: URLError? { cause as? URLError }

  /// What to go on with, if a download failed that can; see ``AFURLSessionManager/download(resumeFrom:to:progress:)``. The
  /// same data stands in the user info, under `NSURLSessionDownloadTaskResumeData`.
  public var resumeData: Data? { userInfo[resumeDataKey] as? Data }

  /// Whether the task was cancelled.
  public var isCancelled: Bool { urlError?.code == .cancelled }

  /// Whether time ran out.
  public var isTimeout: Bool { urlError?.code == .timedOut }

  /// The status code of the response, if one came.
  public var statusCode: Int? { response?.statusCode }
}
