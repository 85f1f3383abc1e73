/// How fast something goes, over the last few seconds.
struct RateMeter {
  private static let window = 5.0

  private var samples: [(time: Double, bytes: Int64)] = []

  /// Takes note of how many bytes there are at a time, in seconds.
  mutating func note(_ bytes: Int64, at time: Double) {
    if let last = samples.last, bytes < last.bytes { samples = [] }
    samples.append((time, bytes))
    // One sample from before the window stays, so that it is whole.
    while samples.count > 2, samples[1].time <= time - Self.window { samples.removeFirst() }
  }

  /// Bytes per second; nil before that can be said.
  var rate: Double? {
    guard let first = samples.first, let last = samples.last, last.time - first.time >= 0.2 else { return nil }
    return Double(last.bytes - first.bytes) / (last.time - first.time)
  }
}
