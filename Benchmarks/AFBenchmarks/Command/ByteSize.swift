/// Sizes as people write them: `65536`, `64KiB`, `1.5GiB`, `10MB`.
enum ByteSize {
  private static let units: [(suffix: String, factor: Double)] = [
    ("kib", 1_024), ("mib", 1_048_576), ("gib", 1_073_741_824),
    ("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("b", 1),
  ]

  /// The number of bytes, or nil if the text is no size of at least one byte.
  static func parse(_ text: String) -> Int64? {
    let lowered = text.lowercased()
    let unit = units.first { lowered.hasSuffix($0.suffix) }
    let number = lowered.dropLast(unit?.suffix.count ?? 0)
    guard let value = Double(number), value.isFinite else { return nil }
    let bytes = value * (unit?.factor ?? 1)
    return bytes >= 1 && bytes < 9e18 ? Int64(bytes) : nil
  }

  /// The size in the largest binary unit that gives a whole number, such as `64KiB`.
  static func format(_ bytes: Int64) -> String {
    for (suffix, shift) in [("GiB", Int64(30)), ("MiB", 20), ("KiB", 10)] where bytes >= 1 << shift {
      if bytes % (1 << shift) == 0 { return "\(bytes >> shift)\(suffix)" }
    }
    return "\(bytes)B"
  }
}
