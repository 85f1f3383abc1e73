public import Foundation
public import FoundationNetworking

// Each call is cancelled when the Swift task around it is, and then throws an AFError whose `isCancelled` is true. Nothing
// here needs a queue: only progress closures run on one, the manager's callback queue, all before the call returns.

extension AFURLSessionManager {
  /// Sends a request and gives the response, validated by the response serializer, with its body.
  /// - Parameters:
  ///   - request: The request, with its body.
  ///   - progress: Told how much of the response body has come.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``.
  public func data(
    for request: URLRequest, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await validated(await perform(.data, HopRequest(request), TaskClosures(downloadProgress: progress)))
  }

  /// Sends a file as the body of a request, read while it is sent.
  /// - Parameters:
  ///   - request: The request.
  ///   - fileURL: The file.
  ///   - progress: Told how much has been sent.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``; its cause is a `URLError` if the file cannot be read.
  public func upload(
    for request: URLRequest, fromFile fileURL: URL, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    var hop = HopRequest(request)
    hop.body = .file(path: fileURL.path)
    return try await validated(await perform(.upload, hop, TaskClosures(uploadProgress: progress)))
  }

  /// Sends data as the body of a request.
  /// - Parameters:
  ///   - request: The request.
  ///   - bodyData: The body.
  ///   - progress: Told how much has been sent.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``.
  public func upload(
    for request: URLRequest, from bodyData: Data, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    var hop = HopRequest(request)
    hop.body = .data(bodyData)
    return try await validated(await perform(.upload, hop, TaskClosures(uploadProgress: progress)))
  }

  /// Sends a stream: what the manager's body stream block gives, or else the request's `httpBodyStream`.
  /// - Parameters:
  ///   - request: The request.
  ///   - progress: Told how much has been sent.
  /// - Returns: The response, validated.
  /// - Throws: ``AFError``.
  public func upload(
    withStreamedRequest request: URLRequest, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await validated(
      await perform(.upload, HopRequest(request), TaskClosures(uploadProgress: progress), isStreamed: true))
  }

  /// Downloads to a file, which appears at its place complete or not at all.
  ///
  /// The body is written beside the destination and moved there at the end. A response that the response serializer does not
  /// accept leaves no file.
  /// - Parameters:
  ///   - request: The request.
  ///   - destination: Where the file is to be. There must be none.
  ///   - progress: Told how much has come.
  /// - Returns: The response; its `value` is the destination.
  /// - Throws: ``AFError``.
  @discardableResult
  public func download(
    for request: URLRequest, to destination: URL, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    try await download(HopRequest(request), nil, destination, progress)
  }

  /// Goes on with a download that failed, or that was cancelled by
  /// ``AFURLSessionDownloadTask/cancel(byProducingResumeData:)``.
  ///
  /// The request is the first one's, redirects included: it asks for what is missing, on condition that nothing has changed.
  /// A refusal (by status or by the response serializer) keeps the part, and its error has resume data again; see
  /// <doc:DownloadingFiles>.
  /// - Parameters:
  ///   - resumeData: What the error, or the handler, gave.
  ///   - destination: Where the file is to be. There must be none.
  ///   - progress: Told on the manager's callback queue how much has come, of the whole.
  /// - Returns: The response; its `value` is the destination.
  /// - Throws: ``AFError``; its cause is `URLError.cannotDecodeRawData` if the data is no resume data.
  @discardableResult
  public func download(
    resumeFrom resumeData: Data, to destination: URL, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(AFError) -> AFDataResponse {
    let resume = ResumeSource(resumeData)
    return try await download(resume.request, resume, destination, progress)
  }

  private func download(
    _ request: HopRequest, _ resume: ResumeSource?, _ destination: URL, _ progress: (@Sendable (Progress) -> Void)?
  ) async throws(AFError) -> AFDataResponse {
    let closures = TaskClosures(
      downloadProgress: progress, temporaryDirectory: destination.deletingLastPathComponent().path)
    let result = await perform(.download, request, closures, resume: resume)
    defer { result.download?.discard() }
    let data = try validatedBody(result)
    do {
      try result.download?.move(to: destination)
    } catch {
      throw result.error(error, nil)
    }
    return AFDataResponse(result.task, head: result.head, data: data, value: destination)
  }
}
