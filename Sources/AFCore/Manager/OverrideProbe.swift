import Foundation
import FoundationNetworking

/// Finds out which of the manager's delegate methods a subclass overrides.
///
/// AFNetworking asks the Objective-C runtime; without one, a subclass would have to be called for everything, and its
/// requests would take the long way through the callback queue and a second TLS handshake although it overrides nothing. So
/// the class's method table is looked at. Where each method stands in it is not assumed but measured, with small subclasses
/// of our own that override one method each. If anything is not as expected, the answer is that everything is overridden,
/// which is always right and only slower.
enum OverrideProbe {
  /// What `type` overrides. Nothing for our own classes.
  static func interests(of type: AFURLSessionManager.Type) -> Interests {
    if type == AFURLSessionManager.self || type == AFHTTPSessionManager.self { return [] }
    guard let slots = Self.slots else { return .all }
    guard let base = MethodTable(AFURLSessionManager.self), let table = MethodTable(type), table.count >= base.count
    else { return .all }
    var interests: Interests = []
    for slot in slots where table[slot.index] != base[slot.index] { interests.formUnion(slot.interest) }
    return interests
  }

  private struct Slot {
    let index: Int
    let interest: Interests
  }

  /// The place of each method, or nil if one of them cannot be told.
  private static let slots: [Slot]? = {
    guard let base = MethodTable(AFURLSessionManager.self), let plain = MethodTable(PlainProbe.self),
      plain.count >= base.count
    else { return nil }
    var slots: [Slot] = []
    for (type, interest) in probes {
      guard let table = MethodTable(type), table.count >= base.count else { return nil }
      // Initializers differ in every subclass; a method differs only where it is overridden.
      let places = (0..<base.count).filter { plain[$0] == base[$0] && table[$0] != base[$0] }
      guard places.count == 1 else { return nil }
      slots.append(Slot(index: places[0], interest: interest))
    }
    guard Set(slots.map(\.index)).count == slots.count else { return nil }
    return slots
  }()

  private static let probes: [(AFURLSessionManager.Type, Interests)] = [
    (SessionChallengeProbe.self, .challenge), (TaskChallengeProbe.self, .challenge), (RedirectProbe.self, .redirect),
    (BodyStreamProbe.self, .bodyStream), (SendBodyProbe.self, .sendBody), (MetricsProbe.self, .metrics),
    (CompleteProbe.self, .complete), (ResponseProbe.self, .response), (DataProbe.self, .data),
    (CacheProbe.self, .cache),
    (WriteDataProbe.self, .writeData), (FinishDownloadProbe.self, .finishDownload),
    (ResumeDownloadProbe.self, .resumeDownload),
  ]
}

/// The words of a class's metadata that follow its header: its methods among them.
///
/// The header of a class without Objective-C is 56 bytes; the size of the whole stands at byte 32 and the offset of its
/// address point at byte 36.
private struct MethodTable {
  private static let headerSize = 56
  private let words: UnsafeRawPointer
  let count: Int

  init?(_ type: AnyClass) {
    guard MemoryLayout<Int>.size == 8, MemoryLayout<AnyClass>.size == 8 else { return nil }
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let size = Int(metadata.load(fromByteOffset: 32, as: UInt32.self))
    let addressPoint = Int(metadata.load(fromByteOffset: 36, as: UInt32.self))
    let length = size - addressPoint - Self.headerSize
    guard metadata.load(as: Int.self) == 0, addressPoint > 0, addressPoint < 256, length > 0, length < 1 << 16,
      length % 8 == 0
    else { return nil }
    words = metadata + Self.headerSize
    count = length / 8
  }

  subscript(index: Int) -> Int { words.load(fromByteOffset: index * 8, as: Int.self) }
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
