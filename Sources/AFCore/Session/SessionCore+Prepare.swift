import AFMultipart
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension SessionCore {
  /// Makes the engine's request of a task's.
  /// - Throws: A `URLError` for a URL that cannot be fetched; the error of a body that cannot be opened.
  func prepare(_ request: HopRequest, options: HopOptions) throws -> TransferRequest {
    try Self.checkScheme(of: request.url)
    let headers = headers(of: request)
    var transfer = TransferRequest(
      url: request.url.utf8.contains(UInt8(ascii: "@")) ? request.url.withoutUserInfo : request.url,
      method: request.method, headers: headers)
    transfer.body = try request.body.forHop(declaredLength: request.value("Content-Length").flatMap { Int64($0) })
    let timeout = request.timeout ?? settings.requestTimeout
    transfer.options.idleTimeout = timeout
    transfer.options.connectTimeout = settings.options.connectTimeout ?? timeout
    transfer.options.httpVersion = settings.options.versionPolicy
    transfer.options.network = network
    transfer.options.bodyLimits = settings.options.bodyLimits
    transfer.options.proxy = settings.proxy(for: request.url)
    transfer.options.uploadLimiter = settings.options.uploadLimit?.makeShare()
    transfer.options.downloadLimiter = settings.options.downloadLimit?.makeShare()
    transfer.options.deadline = options.deadline
    transfer.options.priority = options.priority
    transfer.options.collectsMetrics = options.collectsMetrics
    transfer.options.endsBodyWithAnswer = request.endsBodyWithAnswer
    transfer.options.expectsLargeResponse = options.expectsLargeResponse
    transfer.options.isIdempotent = Self.idempotentMethods.contains(request.method)
    if request.value("Range") != nil { transfer.options.decodesContent = false }
    return transfer
  }

  /// The fields that a request is sent with, but for those that the engine adds.
  func headers(of request: HopRequest) -> [TransferRequest.HeaderField] {
    var headers = request.headers
    for field in settings.additionalHeaders where request.value(field.name) == nil {
      if !request.keepsCredentials, field.isOfOrigin { continue }
      headers.append(field)
    }
    addCookies(to: &headers, request)
    return headers
  }

  private static let idempotentMethods: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

  private static func checkScheme(of url: String) throws {
    if url.hasPrefix("http://") || url.hasPrefix("https://") { return }
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard url.contains("://"), scheme == "http" || scheme == "https" else {
      if url.isEmpty || !url.contains(":") { throw URLError.make(.badURL, url: url, "The request has no absolute URL") }
      throw URLError.make(.unsupportedURL, url: url, "The scheme \(scheme) is not supported, only http and https are")
    }
  }
}

extension TransferRequest.HeaderField {
  /// Whether the field holds for one origin alone, because it says who the user is or which server is meant.
  var isOfOrigin: Bool {
    Redirect.fieldsOfOrigin.contains { name.equalsIgnoringCase($0) }
  }
}
