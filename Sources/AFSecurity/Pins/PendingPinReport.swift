import AFSupport
import Dispatch
package import Foundation

/// A report with those who are to get it. A refusal's waits until it is sure that no other policy accepts the server.
struct PendingPinReport: Sendable {
  var report: AFPinReport
  var handler: (@Sendable (AFPinReport) -> Void)?
  var url: URL?

  /// Delivers the report, never on the caller's thread: that may be in the midst of a handshake.
  func deliver() {
    let send = url == nil ? nil : PinReportSending.send
    DispatchQueue.global(qos: .utility).async { [self] in
      handler?(report)
      if let url { send?(report, url) }
    }
  }
}

/// Sends reports to ``AFSecurityPolicy/pinReportURL``. This module makes no requests; the one with the managers does, once it is used.
package enum PinReportSending {
  package typealias Send = @Sendable (_ report: AFPinReport, _ url: URL) -> Void

  private static let sender = Locked<Send?>(nil)

  static var send: Send? { sender.withLock { $0 } }

  /// Has reports sent from now on.
  package static func install(_ send: @escaping Send) { sender.withLock { $0 = send } }
}
