import Foundation

/// The results of one case as a table to read.
enum Table {
  static func text(_ results: [ClientResult], rounds: Int) -> String {
    guard let first = results.first else { return "" }
    var rows = [
      [
        "client", first.unit.rateName, "CPU \(first.unit.processorName)", "peak MiB", "time ×", "CPU ×", "server CPU",
      ]
    ]
    for result in results {
      rows.append([
        result.client, number(result.rate), number(result.processorCost), number(Double(result.peakMemory) / 1_048_576),
        ratio(result.timeRatio), ratio(result.processorRatio),
        result.serverLoad > 0 ? "\(Int((result.serverLoad * 100).rounded())) %" : "",
      ])
    }
    var lines = ["\(first.benchmark.name)   (medians of \(rounds) rounds)"]
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + space : space + cell
      }
      lines.append("  " + cells.joined(separator: "   "))
    }
    let disturbed = results.filter { $0.disturbedRuns > 0 }.map { "\($0.client) \($0.disturbedRuns)" }
    if !disturbed.isEmpty {
      lines.append("  Disturbed by other work on the machine, runs: \(disturbed.joined(separator: ", "))")
    }
    return lines.joined(separator: "\n")
  }

  /// Three significant digits, thousands set apart.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "" }
    if value < 100 { return String(format: value < 1 ? "%.3f" : value < 10 ? "%.2f" : "%.1f", value) }
    var text = String(Int(value.rounded()))
    var index = text.count - 3
    while index > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: index))
      index -= 3
    }
    return text
  }

  static func ratio(_ value: Double?) -> String {
    value.map { String(format: "%.2f", $0) } ?? ""
  }
}
