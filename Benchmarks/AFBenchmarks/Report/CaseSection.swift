import Foundation

/// What the report says about one case.
enum CaseSection {
  static func html(_ name: String, _ results: [ClientResult]) -> String {
    let charts = [ratios(results), stages(results), memory(results), rate(results)].compactMap { $0 }
    return
      "<section><h3>\(SVG.escape(name))</h3><div class=\"charts\">\(charts.joined())</div>\(table(results))</section>"
  }

  private static func ratios(_ results: [ClientResult]) -> String? {
    let compared = results.filter { $0.timeRatio != nil }
    guard compared.count > 1 else { return nil }
    func chart(_ title: String, _ ratio: (ClientResult) -> Double?) -> String {
      var chart = BarChart(
        title,
        bars: compared.map { result in
          let value = ratio(result) ?? 0
          return BarChart.Bar(
            name: result.client, pieces: [("ratio", ReportStyle.client(result.client), value)],
            text: Table.ratio(value) + " ×")
        })
      chart.mark = 1
      return chart.html
    }
    return chart("Time, against the yardstick", \.timeRatio)
      + chart("Processor, against the yardstick", \.processorRatio)
  }

  /// Processor time by stage, and what is left of the run's length: waiting.
  private static func stages(_ results: [ClientResult]) -> String? {
    let profiled = results.compactMap { result in result.profile.map { (result, $0) } }
    guard !profiled.isEmpty else { return nil }
    let unit = profiled[0].0.unit
    let scale = unit == .requests ? 1e6 : 1_073_741_824.0
    var chart = BarChart(
      "Where the time goes (\(unit.processorName))",
      bars: profiled.map { result, sample in
        let each = scale / Double(sample.units)
        var pieces = Stage.allCases.map { stage in
          (stage.rawValue, "stage-\(stage)", (sample.stages?[stage] ?? 0) * sample.processorSeconds * each)
        }
        pieces.append(("wait", "stage-wait", max(0, sample.seconds - sample.processorSeconds) * each))
        return BarChart.Bar(
          name: result.client, pieces: pieces, text: Table.number(pieces.reduce(0) { $0 + $1.2 }))
      })
    chart.legend = Stage.allCases.map { ($0.rawValue, "stage-\($0)") } + [("wait", "stage-wait")]
    return chart.html
  }

  private static func memory(_ results: [ClientResult]) -> String? {
    let lines = results.compactMap { result -> LineChart.Line? in
      guard let run = result.runs.last, run.timeline.count > 1 else { return nil }
      return LineChart.Line(
        name: result.client, style: ReportStyle.client(result.client),
        points: run.timeline.filter { $0.residentBytes > 0 }.map { ($0.seconds, Double($0.residentBytes) / 1_048_576) })
    }
    guard !lines.isEmpty else { return nil }
    return LineChart("Memory over time", x: "seconds", y: "MiB", lines: lines).html
  }

  /// The pace at which a limited upload read its file.
  private static func rate(_ results: [ClientResult]) -> String? {
    guard let limit = results.first?.benchmark.limit else { return nil }
    let lines = results.compactMap { result -> LineChart.Line? in
      guard let run = result.runs.last else { return nil }
      return LineChart.Line(
        name: result.client, style: ReportStyle.client(result.client), points: pace(run.timeline))
    }
    var chart = LineChart("Rate against the limit", x: "seconds", y: "MB/s", lines: lines)
    chart.limit = ("limit", limit / 1e6)
    return chart.html
  }

  /// MB/s in windows of a fiftieth of the run, at least 200 ms.
  private static func pace(_ timeline: [Run.Moment]) -> [(x: Double, y: Double)] {
    guard let first = timeline.first, let last = timeline.last else { return [] }
    let window = max(0.2, (last.seconds - first.seconds) / 50)
    var points: [(x: Double, y: Double)] = []
    var start = first
    for moment in timeline where moment.seconds - start.seconds >= window && moment.fileBytes > 0 {
      points.append(
        (moment.seconds, Double(moment.fileBytes - start.fileBytes) / (moment.seconds - start.seconds) / 1e6))
      start = moment
    }
    return points
  }

  private static func table(_ results: [ClientResult]) -> String {
    guard let unit = results.first?.unit else { return "" }
    let heads = ["client", unit.rateName, "CPU \(unit.processorName)", "peak MiB", "time ×", "CPU ×"]
    let rows = results.map { result in
      let cells = [
        result.client, Table.number(result.rate), Table.number(result.processorCost),
        Table.number(Double(result.peakMemory) / 1_048_576), Table.ratio(result.timeRatio),
        Table.ratio(result.processorRatio),
      ]
      return "<tr>" + cells.map { "<td>\(SVG.escape($0))</td>" }.joined() + "</tr>"
    }
    return "<table><tr>" + heads.map { "<th>\(SVG.escape($0))</th>" }.joined() + "</tr>\(rows.joined())</table>"
  }
}

extension Case {
  /// Bytes per second that the case allows, if it is limited.
  fileprivate var limit: Double? {
    if job.rate > 0 { return Double(job.rate) }
    return job.delay > 0 ? Double(job.packet) / job.delay : nil
  }
}
