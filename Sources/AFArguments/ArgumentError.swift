/// The command line, or a line of the configuration file, was wrong. The description says how, in one line.
package struct ArgumentError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  static func noValue(_ option: CommandOption, as given: String) -> Self {
    Self("\(given) needs a value\(option.value.map { ": \(given) \($0.placeholder)" } ?? "")")
  }

  static func unknown(_ given: String, among names: [String]) -> Self {
    let near = Suggestion.nearest(to: given, among: names)
    return Self("there is no option '\(given)'" + (near.map { "; do you mean \($0)?" } ?? ""))
  }

  package static func noCommand(_ given: String, among names: [String]) -> Self {
    let near = Suggestion.nearest(to: given, among: names)
    return Self("there is no command '\(given)'" + (near.map { "; do you mean \($0)?" } ?? ""))
  }
}

/// What may have been meant.
enum Suggestion {
  /// The name that differs by the fewest letters, if they are few.
  static func nearest(to word: String, among names: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let ranked = names.map { (name: $0, distance: distance(Array(word), Array($0))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit else { return nil }
    return best.name
  }

  /// How many letters must be put in, taken out, replaced or swapped with their neighbour.
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    guard !left.isEmpty, !right.isEmpty, left.count <= 64, right.count <= 64 else {
      return max(left.count, right.count)
    }
    var rows = [Array(0...right.count)]
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a == b ? 0 : 1))
        if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { least = min(least, rows[i - 1][j - 1] + 1) }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
