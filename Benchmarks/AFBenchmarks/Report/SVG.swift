import Foundation

/// Pieces of a drawing, as text. Colours are named in the page's style sheet, so that light and dark need one drawing.
enum SVG {
  static func escape(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }

  static func number(_ value: Double) -> String {
    String(format: "%.1f", value)
  }

  static func text(_ text: String, x: Double, y: Double, anchor: String = "start", style: String = "label") -> String {
    "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escape(text))</text>"
  }

  static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) -> String {
    "<line class=\"\(style)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
  }

  static func bar(x: Double, y: Double, width: Double, height: Double, style: String, tip: String) -> String {
    "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(max(width, 0.5)))\" "
      + "height=\"\(number(height))\"><title>\(escape(tip))</title></rect>"
  }

  static func drawing(width: Double, height: Double, title: String, _ parts: [String]) -> String {
    "<svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" role=\"img\" aria-label=\"\(escape(title))\">"
      + parts.joined() + "</svg>"
  }
}

/// Round numbers from zero up to at least `largest`, few enough to read.
struct Scale {
  let end: Double
  let ticks: [Double]

  init(to largest: Double) {
    let largest = largest.isFinite && largest > 0 ? largest : 1
    let rough = largest / 4
    let power = pow(10, floor(log10(rough)))
    let step = power * ([1, 2, 2.5, 5, 10].first { $0 * power >= rough } ?? 10)
    let count = Int((largest / step).rounded(.up))
    ticks = (0...max(count, 1)).map { Double($0) * step }
    end = ticks.last ?? largest
  }

  /// A tick in words, without digits that say nothing.
  static func label(_ value: Double) -> String {
    if value >= 1000 { return Table.number(value) }
    return value == value.rounded() ? String(Int(value)) : String(format: value < 0.1 ? "%.3g" : "%.2g", value)
  }
}
