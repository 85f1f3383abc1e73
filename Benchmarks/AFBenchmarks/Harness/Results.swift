/// What one client did in one case, over all rounds.
struct ClientResult: Sendable {
  let workload: String
  let benchmark: Case
  let client: String
  var runs: [Run] = []
  /// A run that was profiled, and not counted.
  var profile: Sample?
  /// Medians of what each round gave against the yardstick; nil where the yardstick has not run.
  var timeRatio: Double?
  var processorRatio: Double?

  var unit: Unit { benchmark.unit }
  var rate: Double { runs.map { unit.rate($0.sample) }.median }
  var processorCost: Double { runs.map { unit.processorCost($0.sample) }.median }
  var peakMemory: Int64 { runs.map(\.sample.peakMemory).max() ?? 0 }
  var serverLoad: Double { runs.map(\.serverLoad).median }
  var disturbedRuns: Int { runs.filter(\.isDisturbed).count }
}

/// One run.
struct Run: Sendable {
  let round: Int
  let sample: Sample
  /// Cores that the server used meanwhile; near 1 it, not the client, may be the limit.
  let serverLoad: Double
  /// Others used more than ``LoadGate/limit`` of a core meanwhile.
  let isDisturbed: Bool
  let timeline: [Moment]

  /// What the client looked like at some moment of the run.
  struct Moment: Sendable {
    let seconds: Double
    let residentBytes: Int64
    /// Bytes read from files and written to files so far.
    let fileBytes: Int64
  }
}

extension [ClientResult] {
  /// Fills in the ratios to the client named `yardstick` in the same case and round.
  mutating func compare(with yardstick: String) {
    for index in indices {
      guard
        let base = first(where: { $0.benchmark.name == self[index].benchmark.name && $0.client == yardstick }),
        !base.runs.isEmpty
      else { continue }
      let pairs = self[index].runs.compactMap { run in
        base.runs.first { $0.round == run.round }.map { (run.sample, $0.sample) }
      }
      let times = pairs.map { $0.secondsPerUnit / $1.secondsPerUnit }
      let costs = pairs.map { $0.processorSecondsPerUnit / $1.processorSecondsPerUnit }
      self[index].timeRatio = times.isEmpty ? nil : times.median
      self[index].processorRatio = costs.isEmpty ? nil : costs.median
    }
  }
}

extension Sample {
  fileprivate var secondsPerUnit: Double { seconds / Double(units) }
  fileprivate var processorSecondsPerUnit: Double { processorSeconds / Double(units) }
}
