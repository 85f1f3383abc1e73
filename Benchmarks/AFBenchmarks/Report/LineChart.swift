import Foundation

/// Lines over a common axis, with a legend below.
struct LineChart {
  struct Line {
    let name: String
    /// A class of the style sheet that sets the colour.
    let style: String
    let points: [(x: Double, y: Double)]
  }

  let title: String
  let xName: String
  let yName: String
  var lines: [Line]
  /// A value to compare with, drawn across.
  var limit: (name: String, value: Double)?
  /// Set for a logarithmic axis: what stands at which value.
  var xLabels: [(value: Double, text: String)] = []

  private let width = 560.0
  private let height = 250.0
  private let left = 58.0
  private let right = 24.0
  private let top = 26.0
  private let bottom = 38.0

  init(_ title: String, x: String, y: String, lines: [Line]) {
    self.title = title
    xName = x
    yName = y
    self.lines = lines
  }

  var html: String {
    let points = lines.flatMap(\.points)
    let yScale = Scale(to: max(points.map(\.y).max() ?? 1, limit?.value ?? 0))
    let isLogarithmic = !xLabels.isEmpty
    let xScale = Scale(to: points.map(\.x).max() ?? 1)
    let xRange: ClosedRange<Double> =
      isLogarithmic
      ? log2(xLabels[0].value)...max(log2(xLabels[xLabels.count - 1].value), log2(xLabels[0].value) + 1)
      : 0...xScale.end
    func x(_ value: Double) -> Double {
      let position = isLogarithmic ? log2(value) : value
      return left + (position - xRange.lowerBound) / (xRange.upperBound - xRange.lowerBound) * (width - left - right)
    }
    func y(_ value: Double) -> Double { height - bottom - value / yScale.end * (height - top - bottom) }

    var parts = [SVG.text(yName, x: 4, y: 14, style: "axis")]
    for tick in yScale.ticks {
      parts.append(SVG.line(left, y(tick), width - right, y(tick), style: "grid"))
      parts.append(SVG.text(Scale.label(tick), x: left - 6, y: y(tick) + 4, anchor: "end"))
    }
    for (value, text) in isLogarithmic ? xLabels : xScale.ticks.map({ ($0, Scale.label($0)) }) {
      parts.append(SVG.text(text, x: x(value), y: height - bottom + 16, anchor: "middle"))
    }
    parts.append(SVG.text(xName, x: width - right, y: height - 4, anchor: "end", style: "axis"))
    if let limit {
      parts.append(SVG.line(left, y(limit.value), width - right, y(limit.value), style: "limit"))
      parts.append(SVG.text(limit.name, x: width - right, y: y(limit.value) - 4, anchor: "end", style: "axis"))
    }
    for line in lines where !line.points.isEmpty {
      let path = line.points.map { "\(SVG.number(x($0.x))),\(SVG.number(y($0.y)))" }.joined(separator: " ")
      parts.append("<polyline class=\"line \(line.style)\" points=\"\(path)\"/>")
      if isLogarithmic {
        for point in line.points {
          parts.append(
            "<circle class=\"\(line.style)\" cx=\"\(SVG.number(x(point.x)))\" cy=\"\(SVG.number(y(point.y)))\" r=\"3.5\">"
              + "<title>\(SVG.escape(line.name)): \(Table.number(point.y)) \(yName)</title></circle>")
        }
      }
    }
    return "<figure><figcaption>\(SVG.escape(title))</figcaption>"
      + SVG.drawing(width: width, height: height, title: title, parts) + Legend.html(lines.map { ($0.name, $0.style) })
      + "</figure>"
  }
}

/// Names beside their colours.
enum Legend {
  static func html(_ entries: [(name: String, style: String)]) -> String {
    "<p class=\"legend\">"
      + entries.map { "<span><i class=\"\($0.style)\"></i>\(SVG.escape($0.name))</span>" }.joined(separator: " ")
      + "</p>"
  }
}
