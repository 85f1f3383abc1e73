import AFSecurity
import AFSupport
import Foundation
import FoundationNetworking

/// Finds out which of the manager's members a subclass overrides, so that its requests take the long way through the callback
/// queue, and a second TLS handshake, only where they must.
enum OverrideProbe {
  /// What `type` overrides. Nothing for our own classes, and everything where it cannot be told.
  static func interests(of type: AFURLSessionManager.Type) -> Interests {
    if type == AFURLSessionManager.self || type == AFHTTPSessionManager.self { return [] }
    return table?.overrides(of: type) ?? .all
  }

  private static let table = OverrideTable<Interests>(
    base: AFURLSessionManager.self, plain: PlainProbe.self, probes: probes)

  private static let probes: [(AnyClass, Interests)] = [
    (SessionChallengeProbe.self, .challenge), (TaskChallengeProbe.self, .challenge), (RedirectProbe.self, .redirect),
    (BodyStreamProbe.self, .bodyStream), (SendBodyProbe.self, .sendBody), (MetricsProbe.self, .metrics),
    (CompleteProbe.self, .complete), (ResponseProbe.self, .response), (DataProbe.self, .data),
    (CacheProbe.self, .cache),
    (WriteDataProbe.self, .writeData), (FinishDownloadProbe.self, .finishDownload),
    (ResumeDownloadProbe.self, .resumeDownload), (PolicyProbe.self, .policy),
  ]
}

// swift-format-ignore
// Unchecked because their superclass is; they store nothing and are never made.
private final class PlainProbe: AFURLSessionManager, @unchecked Sendable {}

private final class SessionChallengeProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {}
}

private final class TaskChallengeProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {}
}

private final class RedirectProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {}
}

private final class BodyStreamProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {}
}

private final class SendBodyProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {}
}

private final class MetricsProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didFinishCollecting metrics: AFURLSessionTaskMetrics
  ) {}
}

private final class CompleteProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(_ session: AFURLSession, task: AFURLSessionTask, didCompleteWithError error: (any Error)?) {}
}

private final class ResponseProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, dataTask: AFURLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (AFURLSession.ResponseDisposition) -> Void
  ) {}
}

private final class DataProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(_ session: AFURLSession, dataTask: AFURLSessionDataTask, didReceive data: Data) {}
}

private final class CacheProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, dataTask: AFURLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {}
}

private final class WriteDataProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, downloadTask: AFURLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {}
}

private final class FinishDownloadProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, downloadTask: AFURLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {}
}

private final class ResumeDownloadProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, downloadTask: AFURLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {}
}

private final class PolicyProbe: AFURLSessionManager, @unchecked Sendable {
  // Unchecked as above.
  override var securityPolicy: AFSecurityPolicy {
    get { AFSecurityPolicy() }
    set {}
  }
}
