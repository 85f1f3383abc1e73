/// How far one transfer is, in a line.
struct ProgressRow: Sendable, Equatable {
  var label: String
  var done: Int64 = 0
  /// Nil if the server does not say.
  var total: Int64?
  /// Bytes per second; nil before that can be said.
  var rate: Double?
  /// Seconds since the beginning.
  var elapsed = 0.0
  /// What it waits for, or how it ended, in the place of the estimate.
  var remark: String?

  /// From 0 to 1; nil if it cannot be said.
  private var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, max(0, Double(done) / Double(total)))
  }

  private var percent: String? { fraction.map { "\(Int($0 * 100))%" } }

  private var amount: String {
    guard let total, total != done else { return ByteText.size(done) }
    return "\(ByteText.size(done)) of \(ByteText.size(total))"
  }

  /// Seconds until the end, at this rate.
  private var estimate: Double? {
    guard let total, let rate, rate > 0 else { return nil }
    return Double(max(0, total - done)) / rate
  }

  private var ending: String {
    if let remark { return remark }
    return estimate.map { "\(ByteText.duration($0)) left" } ?? ByteText.duration(elapsed)
  }

  /// The line, never wider than `width`: what matters least is left out first. Facts keep their columns, so that nothing jumps.
  func line(width: Int) -> String {
    let (percent, amount) = (percent.map { Self.right($0, 4) }, Self.right(amount, total == nil ? 8 : 18))
    let (rate, ending) = (Self.right(rate.map(ByteText.rate) ?? "", 10), Self.right(ending, 12))
    let facts: [[String?]] = [
      [percent, amount, rate, ending], [percent, amount, ending], [percent ?? amount, ending], [percent ?? amount],
    ]
    for (index, fact) in facts.enumerated() {
      let text = fact.compactMap { $0 }.joined(separator: " ")
      let room = width - DisplayWidth.of(text) - 1
      guard room >= (index == facts.count - 1 ? 1 : 12) else { continue }
      // A bar where the name has room enough beside it.
      let barWidth = fraction != nil && room >= 36 ? min(30, room - 24) : 0
      let name = DisplayWidth.fitted(label, to: room - (barWidth > 0 ? barWidth + 1 : 0))
      return name + " " + (barWidth > 0 ? bar(barWidth) + " " : "") + text
    }
    return DisplayWidth.fitted(percent ?? amount, to: max(0, width))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func bar(_ width: Int) -> String {
    let inside = width - 2
    let full = Int((fraction ?? 0) * Double(inside))
    let head = full < inside ? ">" : ""
    let rest = String(repeating: " ", count: max(0, inside - full - head.count))
    return "[" + String(repeating: "=", count: full) + head + rest + "]"
  }
}
