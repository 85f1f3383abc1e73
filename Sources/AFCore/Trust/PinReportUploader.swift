import AFSecurity
import AFSupport
import Foundation
import FoundationNetworking

/// Sends reports about pins to the URLs that policies name.
final class PinReportUploader: Sendable {
  /// What was sent lately; the same is not sent again for a day.
  private struct Sent: Hashable {
    var url: URL
    var host: String?
    var wasRefused: Bool
    var leaf: Data?
    var expectedPins: Set<AFPublicKeyPin>
  }

  /// By hash, so that a day's reports are some numbers and not some certificates.
  private let sent = Locked<[Int: MonotonicTime]>([:])
  private let interval: Double
  private let manager: AFURLSessionManager

  static let limit = 256

  /// Makes every policy's reports go out. Once per process.
  static let installed: Void = PinReportSending.install { report, url in shared.send(report, to: url) }

  /// Made with the first report: most processes never have one.
  private static let shared = PinReportUploader()

  init(interval: Double = 86_400) {
    self.interval = interval
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 60
    manager = AFURLSessionManager(sessionConfiguration: configuration)
  }

  /// Sends a report, unless the same one went out lately.
  /// - Returns: Whether it is sent.
  @discardableResult
  func send(_ report: AFPinReport, to url: URL) -> Bool {
    let key = Sent(
      url: url, host: report.host, wasRefused: report.wasRefused, leaf: report.servedChain.first?.sha256Fingerprint,
      expectedPins: report.expectedPins
    ).hashValue
    let now = MonotonicTime.now
    let isNew = sent.withLock { sent -> Bool in
      if let last = sent[key], now - last < interval { return false }
      // A server that shows another certificate each time does not get to have each of them reported.
      if sent.count >= Self.limit { sent = sent.filter { now - $0.value < interval } }
      guard sent.count < Self.limit else { return false }
      sent[key] = now
      return true
    }
    guard isNew else { return false }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = report.jsonRepresentation()
    manager.dataTask(with: request, uploadProgress: nil, downloadProgress: nil).resume()
    return true
  }
}
