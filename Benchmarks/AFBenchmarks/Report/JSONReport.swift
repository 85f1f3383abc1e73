import Foundation

/// The results as an array of objects, one for each workload and client. The keys stay what they are.
enum JSONReport {
  private struct Entry: Encodable {
    let workload: String
    let client: String
    let rate: Double
    let rateUnit: String
    let cpuPerUnit: Double
    let cpuUnit: String
    let peakRSSMiB: Double
    let timeRatio: Double?
    let cpuRatio: Double?
    let runs: Int

    enum CodingKeys: String, CodingKey {
      case workload, client, rate, runs
      case rateUnit = "rate_unit"
      case cpuPerUnit = "cpu_per_unit"
      case cpuUnit = "cpu_unit"
      case peakRSSMiB = "peak_rss_mib"
      case timeRatio = "time_ratio"
      case cpuRatio = "cpu_ratio"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(workload, forKey: .workload)
      try container.encode(client, forKey: .client)
      try container.encode(rate, forKey: .rate)
      try container.encode(rateUnit, forKey: .rateUnit)
      try container.encode(cpuPerUnit, forKey: .cpuPerUnit)
      try container.encode(cpuUnit, forKey: .cpuUnit)
      try container.encode(peakRSSMiB, forKey: .peakRSSMiB)
      // Null, rather than absent, where there was no yardstick: every object has every key.
      try container.encode(timeRatio, forKey: .timeRatio)
      try container.encode(cpuRatio, forKey: .cpuRatio)
      try container.encode(runs, forKey: .runs)
    }
  }

  static func write(_ results: [ClientResult], to path: String) throws {
    let entries = results.map {
      Entry(
        workload: $0.benchmark.name, client: $0.client, rate: $0.rate, rateUnit: $0.unit.rateName,
        cpuPerUnit: $0.processorCost, cpuUnit: $0.unit.processorName, peakRSSMiB: Double($0.peakMemory) / 1_048_576,
        timeRatio: $0.timeRatio, cpuRatio: $0.processorRatio, runs: $0.runs.count)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try encoder.encode(entries).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw BenchmarkError("the results could not be written to \(path): \(error.localizedDescription)")
    }
  }
}
