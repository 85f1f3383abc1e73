import Foundation

/// One page with plots that needs nothing else: no script, no font, no file beside it.
enum HTMLReport {
  static func write(_ results: [ClientResult], rounds: Int, to path: String) throws {
    do {
      try page(results, rounds: rounds).write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw BenchmarkError("the report could not be written to \(path): \(error.localizedDescription)")
    }
  }

  static func page(_ results: [ClientResult], rounds: Int) -> String {
    var body = "<h1>AFBenchmarks</h1>" + introduction(results, rounds: rounds)
    for name in unique(results.map(\.workload)) {
      let ours = results.filter { $0.workload == name }
      body += "<h2>\(SVG.escape(name))</h2>"
      if let chart = PacketChart.html(ours) { body += "<div class=\"charts\">\(chart)</div>" }
      for benchmark in unique(ours.map(\.benchmark.name)) {
        body += CaseSection.html(benchmark, ours.filter { $0.benchmark.name == benchmark })
      }
    }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>AFBenchmarks</title><style>\(ReportStyle.sheet)</style></head><body><main>\(body)</main></body></html>
      """
  }

  private static func introduction(_ results: [ClientResult], rounds: Int) -> String {
    let disturbed = results.reduce(0) { $0 + $1.disturbedRuns }
    let note =
      disturbed == 0
      ? "The machine was quiet."
      : "\(disturbed) runs were disturbed by other work on the machine: trust the ratios, less the rates."
    return """
      <p>Medians of \(rounds) rounds on \(ProcessInfo.processInfo.processorCount) processors. Ratios compare the clients
      round by round: below 1 is better than the yardstick, above 1 worse. \(note)</p>
      """
  }

  private static func unique(_ names: [String]) -> [String] {
    names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// Throughput against packet size, where a workload was measured with several.
enum PacketChart {
  static func html(_ results: [ClientResult]) -> String? {
    let packets = Set(results.map(\.benchmark.job.packet)).filter { $0 > 0 }.sorted()
    guard packets.count > 1 else { return nil }
    let clients = results.reduce(into: [String]()) { if !$0.contains($1.client) { $0.append($1.client) } }
    var chart = LineChart(
      "Throughput against packet size", x: "bytes a read", y: "MB/s",
      lines: clients.map { client in
        LineChart.Line(
          name: client, style: ReportStyle.client(client),
          points: results.filter { $0.client == client }.map { (Double($0.benchmark.job.packet), $0.rate) })
      })
    chart.xLabels = packets.map { (Double($0), ByteSize.format(Int64($0))) }
    return chart.html
  }
}
