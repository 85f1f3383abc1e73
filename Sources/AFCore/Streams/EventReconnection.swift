import AFSupport
import Foundation

/// When an event stream connects again, and after how long.
struct EventReconnection {
  /// How a connection ended.
  enum Ending: Hashable {
    /// The response was over, or let go by the server.
    case closed
    /// The transfer failed.
    case failed(URLError.Code)
    /// The server refused, and perhaps said when to come again, in seconds.
    case refused(status: Int, retryAfter: Double?)
    /// What came is no event stream, or passed a limit.
    case unusable
  }

  private let options: AFEventStream.Options
  /// Connections in a row that brought no event.
  private(set) var failures = 0

  init(_ options: AFEventStream.Options) { self.options = options }

  /// An event has come.
  mutating func succeeded() { failures = 0 }

  /// Seconds to wait before the next connection, or nil if there is none.
  ///
  /// The first one waits for as long as the server asked for; each further one that brings no event doubles that. `random` is
  /// between 0 and 1: it spreads the clients of a server that has just come back.
  mutating func delay(after ending: Ending, serverTime: Double?, random: Double) -> Double? {
    guard options.reconnects, isWorthAnother(ending) else { return nil }
    failures = min(failures + 1, 1_000)
    if let limit = options.maximumFailures, failures > limit { return nil }
    let base = max(serverTime ?? options.reconnectionTime, 0)
    var wait = base * pow(2, Double(min(failures - 1, 30))) * (1 + random / 4)
    if case .refused(_, let after?) = ending { wait = max(wait, after) }
    return min(wait.isNaN ? 0 : wait, max(options.maximumReconnectionTime, 0))
  }

  private func isWorthAnother(_ ending: Ending) -> Bool {
    switch ending {
    case .closed: true
    case .failed(let code): Self.passingCodes.contains(code)
    case .refused(let status, _): options.retriedStatusCodes.contains(status)
    case .unusable: false
    }
  }

  /// Failures of the link or of the server's process. What the app would have to change (a certificate, a URL) is not among them.
  private static let passingCodes: Set<URLError.Code> = [
    .timedOut, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet,
    .badServerResponse, .cannotParseResponse, .secureConnectionFailed, .cannotDecodeContentData, .resourceUnavailable,
  ]
}
