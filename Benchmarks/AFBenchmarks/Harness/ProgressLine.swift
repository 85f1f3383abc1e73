import AFSupport
import Foundation

/// Tells how far a long run is: one line that is rewritten on a terminal, otherwise a line now and then.
final class ProgressLine {
  private let total: Int
  private let start = MonotonicTime.now
  private var done = 0
  private var lastPrinted: MonotonicTime?
  /// Seconds that each kind of step has taken, to estimate the rest by.
  private var taken: [String: (seconds: Double, count: Int)] = [:]
  private var remaining: [String: Int] = [:]

  /// `steps`: every step to come, by its kind.
  init(steps: [String]) {
    total = steps.count
    for step in steps { remaining[step, default: 0] += 1 }
  }

  func begin(_ step: String, detail: String) {
    let text = "[\(done + 1)/\(total)] \(step), \(detail)\(estimate)"
    if Console.isTerminal {
      Console.write("\r\u{1B}[K\(text)")
    } else if lastPrinted.map({ MonotonicTime.now - $0 > 15 }) ?? true {
      Console.write(text + "\n")
      lastPrinted = .now
    }
  }

  func end(_ step: String, seconds: Double) {
    done += 1
    remaining[step, default: 1] -= 1
    let before = taken[step] ?? (0, 0)
    taken[step] = (before.seconds + seconds, before.count + 1)
  }

  func clear() {
    if Console.isTerminal { Console.write("\r\u{1B}[K") }
  }

  private var estimate: String {
    let known = taken.values.reduce((seconds: 0.0, count: 0)) { ($0.seconds + $1.seconds, $0.count + $1.count) }
    guard known.count > 0 else { return "" }
    let mean = known.seconds / Double(known.count)
    let left = remaining.reduce(0.0) { sum, entry in
      let own = taken[entry.key].map { $0.seconds / Double($0.count) }
      return sum + Double(entry.value) * (own ?? mean)
    }
    return left >= 90 ? ", about \(Int((left / 60).rounded())) min left" : ", about \(Int(left.rounded(.up))) s left"
  }
}
