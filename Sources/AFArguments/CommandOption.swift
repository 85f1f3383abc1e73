/// An option of a command: one row of the table from which parser, help, manual page and completions are made.
package struct CommandOption: Sendable, Hashable {
  /// The name without its dashes: "header". It is the key by which ``Arguments`` find the values.
  package let name: String
  /// The letter of the short form, if there is one.
  package let letter: Character?
  /// What the option takes; nil for a flag.
  package let value: ValueKind?
  /// Whether it may be given several times. One that may not is in force as it was given last.
  package let isRepeatable: Bool
  /// The names of options that cannot be given beside it.
  package let excludes: [String]
  /// What it does, in a sentence or two.
  package let help: String

  package init(
    _ name: String, _ letter: Character? = nil, _ value: ValueKind? = nil, isRepeatable: Bool = false,
    excludes: [String] = [], help: String
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.isRepeatable = isRepeatable
    self.excludes = excludes
    self.help = help
  }

  /// "-H, --header NAME:VALUE".
  package var label: String {
    let short = letter.map { "-\($0), " } ?? "    "
    return short + "--\(name)" + (value.map { " \($0.placeholder)" } ?? "")
  }
}

/// Options that belong together, under a title of the help. Commands share groups.
package struct OptionGroup: Sendable, Hashable {
  package let title: String
  package let options: [CommandOption]

  package init(_ title: String, _ options: [CommandOption]) {
    self.title = title
    self.options = options
  }
}

/// An argument that is no option.
package struct Operand: Sendable {
  /// How many there may be.
  package enum Count: Sendable {
    case one, optional, oneOrMore, any

    var minimum: Int { self == .one || self == .oneOrMore ? 1 : 0 }
    var maximum: Int { self == .one || self == .optional ? 1 : .max }
  }

  package let name: String
  package let count: Count
  package let completion: Completion

  package init(_ name: String, _ count: Count = .one, completion: Completion = .nothing) {
    self.name = name
    self.count = count
    self.completion = completion
  }

  /// "URL", "[URL]", "URL…", "[URL…]".
  var label: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)…"
    case .any: "[\(name)…]"
    }
  }
}

/// What a shell offers for a value.
package enum Completion: Sendable, Hashable {
  case nothing, files, directories, hosts
  case words([String])
}
