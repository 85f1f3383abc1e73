extension Command {
  /// Reads the words after the command, by the customs of GNU: `--name value`, `--name=value`, `-n value`, `-nvalue`, letters of flags
  /// together (`-ik`), `--` before operands that begin with a dash, and `-` as an operand. Nil if they ask for help.
  ///
  /// `defaults` are what a configuration file says. The words win, but for options that can be repeated: those add up.
  package func parse(_ words: [String], defaults: Arguments = Arguments()) throws(ArgumentError) -> Arguments? {
    var reading = Reading(command: self, rest: words[...])
    guard try reading.read() else { return nil }
    let given = reading.arguments
    try checkOperands(given.operands)
    try checkExclusions(given)
    return merged(given, defaults)
  }

  private func checkOperands(_ words: [String]) throws(ArgumentError) {
    var least = 0
    for operand in operands {
      least += operand.count.minimum
      guard words.count >= least else { throw ArgumentError("\(operand.name) is missing") }
    }
    let most = operands.reduce(0) {
      $0.addingReportingOverflow($1.count.maximum).overflow ? .max : $0 + $1.count.maximum
    }
    guard words.count <= most else { throw ArgumentError("'\(words[most])' is one argument too many: \(usage)") }
  }

  private func checkExclusions(_ arguments: Arguments) throws(ArgumentError) {
    for option in options where arguments.has(option) {
      for other in option.excludes where arguments.values[other] != nil {
        throw ArgumentError("--\(option.name) and --\(other) exclude each other")
      }
    }
  }

  /// A default gives way to the same option and to those that exclude it.
  private func merged(_ given: Arguments, _ defaults: Arguments) -> Arguments {
    var result = given
    for option in options {
      guard let values = defaults.values[option.name] else { continue }
      let rivals = option.excludes + options.filter { $0.excludes.contains(option.name) }.map(\.name)
      guard !rivals.contains(where: { given.values[$0] != nil }) else { continue }
      if option.isRepeatable {
        result.values[option.name] = values + given.all(option)
      } else if given.values[option.name] == nil {
        result.values[option.name] = values
      }
    }
    return result
  }
}

/// A command line that is being read.
private struct Reading {
  let command: Command
  var rest: ArraySlice<String>
  var arguments = Arguments()

  /// - Returns: Whether the command is to be run; false if its help is asked for.
  mutating func read() throws(ArgumentError) -> Bool {
    while let word = rest.popFirst() {
      if word == "--" {
        arguments.operands += rest
        return true
      }
      if word == "--help" || word == "-h" { return false }
      if word.hasPrefix("--") {
        try readLong(word)
      } else if word.hasPrefix("-"), word != "-" {
        guard try readLetters(word) else { return false }
      } else {
        arguments.operands.append(word)
      }
    }
    return true
  }

  private mutating func readLong(_ word: String) throws(ArgumentError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let given = parts[0]
    guard let option = command.options.first(where: { "--\($0.name)" == given }) else {
      throw .unknown(given, among: command.options.map { "--\($0.name)" })
    }
    try take(option, as: given, attached: parts.count == 2 ? parts[1] : nil)
  }

  private mutating func readLetters(_ word: String) throws(ArgumentError) -> Bool {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      if letter == "h" { return false }
      guard let option = command.options.first(where: { $0.letter == letter }) else {
        throw .unknown("-\(letter)", among: [])
      }
      guard option.value != nil else {
        arguments.add(option, "")
        continue
      }
      try take(option, as: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
      return true
    }
    return true
  }

  private mutating func take(
    _ option: CommandOption, as given: String, attached: String?
  ) throws(ArgumentError) {
    guard let kind = option.value else {
      guard attached == nil else { throw ArgumentError("\(given) takes no value") }
      return arguments.add(option, "")
    }
    guard let value = attached ?? rest.popFirst() else { throw .noValue(option, as: given) }
    if let complaint = kind.complaint(about: value) { throw ArgumentError("\(given): \(complaint)") }
    arguments.add(option, value)
  }
}
