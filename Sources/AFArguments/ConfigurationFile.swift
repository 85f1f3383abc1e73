/// A file of defaults: one option in a line, by its long name, as `name = value`, or `name` alone for a flag. Empty lines and those that
/// begin with `#` count for nothing.
package enum ConfigurationFile {
  /// What a file says that may hold these options. `name` is the file's, for errors, which name the line too.
  package static func parse(_ text: String, name: String, options: [CommandOption]) throws(ArgumentError) -> Arguments {
    var arguments = Arguments()
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = trimmed(line)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let place = "\(name), line \(index + 1)"
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed($0) }
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        let near = Suggestion.nearest(to: String(parts[0]), among: options.map(\.name))
        let hint = near.map { "; do you mean \($0)?" } ?? ""
        throw ArgumentError("\(place): '\(parts[0])' is no option that a configuration file may hold\(hint)")
      }
      guard let kind = option.value else {
        guard parts.count == 1 else { throw ArgumentError("\(place): \(option.name) takes no value") }
        arguments.add(option, "")
        continue
      }
      guard parts.count == 2, !parts[1].isEmpty else {
        throw ArgumentError("\(place): \(option.name) needs a value: \(option.name) = \(kind.placeholder)")
      }
      if let complaint = kind.complaint(about: String(parts[1])) {
        throw ArgumentError("\(place): \(option.name): \(complaint)")
      }
      arguments.add(option, String(parts[1]))
    }
    return arguments
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let front = text.drop(while: \.isWhitespace)
    guard let end = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return front[...end]
  }
}
