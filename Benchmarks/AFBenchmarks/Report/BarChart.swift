/// Horizontal bars, each of one or several pieces.
struct BarChart {
  struct Bar {
    let name: String
    let pieces: [(name: String, style: String, value: Double)]
    /// What stands behind the bar.
    let text: String
  }

  let title: String
  let bars: [Bar]
  /// A value to compare with, drawn across all bars.
  var mark: Double?
  var legend: [(name: String, style: String)] = []

  private let width = 560.0
  private let left = 128.0
  private let right = 78.0
  private let row = 26.0

  init(_ title: String, bars: [Bar]) {
    self.title = title
    self.bars = bars
  }

  var html: String {
    let height = row * Double(bars.count) + 6
    let largest = max(bars.map { $0.pieces.reduce(0) { $0 + $1.value } }.max() ?? 1, mark ?? 0)
    let scale = (width - left - right) / max(largest, .leastNonzeroMagnitude)
    var parts: [String] = []
    for (index, bar) in bars.enumerated() {
      let y = row * Double(index) + 3
      parts.append(SVG.text(bar.name, x: left - 8, y: y + 14, anchor: "end"))
      var x = left
      for piece in bar.pieces where piece.value > 0 {
        parts.append(
          SVG.bar(
            x: x, y: y, width: piece.value * scale, height: row - 8, style: piece.style,
            tip: "\(bar.name), \(piece.name): \(Table.number(piece.value))"))
        x += piece.value * scale
      }
      parts.append(SVG.text(bar.text, x: x + 6, y: y + 14, style: "value"))
    }
    if let mark { parts.append(SVG.line(left + mark * scale, 0, left + mark * scale, height, style: "mark")) }
    return "<figure><figcaption>\(SVG.escape(title))</figcaption>"
      + SVG.drawing(width: width, height: height, title: title, parts) + (legend.isEmpty ? "" : Legend.html(legend))
      + "</figure>"
  }
}
