extension Collection where Element == Double {
  /// The middle value, or the mean of the two in the middle; nan of nothing.
  var median: Double {
    let sorted = self.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
