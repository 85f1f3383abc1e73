import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// What took how long, as bars under each other on one scale.
struct Waterfall: Equatable {
  struct Span: Equatable {
    let label: String
    /// Seconds from the beginning of the whole.
    let start: Double
    let end: Double
  }

  struct Exchange: Equatable {
    let title: String
    let spans: [Span]
  }

  let total: Double
  let exchanges: [Exchange]

  init(total: Double, exchanges: [Exchange]) {
    self.total = total
    self.exchanges = exchanges
  }

  init(_ metrics: AFURLSessionTaskMetrics) {
    self.init(
      total: metrics.taskInterval.duration,
      exchanges: AnswerMetrics(metrics).exchanges.map { hop in
        let marks: [(String, Double?, Double?)] = [
          ("resolve", hop.start, hop.resolved), ("connect", hop.resolved, hop.connected),
          ("handshake", hop.connected, hop.secured), ("wait", hop.requestStart, hop.responseStart),
          ("receive", hop.responseStart, hop.end),
        ]
        let facts = [
          hop.status.map { "\($0)" }, hop.httpVersion,
          hop.remoteAddress.map { "\($0) port \(hop.remotePort ?? 0)" }, hop.tlsVersion,
          hop.reusedConnection ? "connection used before" : nil,
          "\(ByteText.size(hop.bytesSent)) up, \(ByteText.size(hop.bytesReceived)) down",
        ]
        return Exchange(
          title: ([hop.url] + facts.compactMap { $0 }).joined(separator: "  ").printable(limit: 400),
          spans: marks.compactMap { label, start, end in
            guard let start, let end, end >= start else { return nil }
            return Span(label: label, start: start, end: end)
          })
      })
  }

  /// The lines, none wider than `width` but the titles.
  func text(width: Int) -> String {
    let room = max(10, min(width, 100) - 26)
    var lines: [String] = []
    for exchange in exchanges {
      lines.append(exchange.title)
      for span in exchange.spans {
        let scale = total > 0 ? Double(room) / total : 0
        let first = min(room - 1, max(0, Int(span.start * scale)))
        let last = min(room, max(first + 1, Int((span.end * scale).rounded())))
        let bar = String(repeating: " ", count: first) + String(repeating: "=", count: last - first)
        lines.append(
          "  \(Self.padded(span.label, 10))|\(Self.padded(bar, room))| \(Self.duration(span.end - span.start))")
      }
    }
    lines.append("total \(Self.duration(total))")
    return lines.joined(separator: "\n")
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func duration(_ seconds: Double) -> String {
    if seconds < 1 { return String(format: "%.1f ms", seconds * 1000) }
    return seconds < 100 ? String(format: "%.2f s", seconds) : String(format: "%.0f s", seconds)
  }
}
