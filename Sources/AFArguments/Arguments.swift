/// What a command line says: the options with their values, checked against the table, and the operands.
package struct Arguments: Sendable, Equatable {
  /// The values by the option's name, in order; a flag has an empty one for each time that it was given.
  var values: [String: [String]] = [:]
  /// The arguments that are no options.
  package var operands: [String] = []

  package init() {}

  /// Whether the option was given.
  package func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

  /// All values of an option, in order.
  package func all(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

  /// The value of an option: the last one.
  package func text(_ option: CommandOption) -> String? { values[option.name]?.last }

  /// The value of an option that takes a whole number.
  package func integer(_ option: CommandOption) -> Int? { text(option).flatMap { Int($0) } }

  /// The value of an option that takes seconds.
  package func seconds(_ option: CommandOption) -> Double? {
    text(option).flatMap { ValueKind.seconds($0, upTo: .greatestFiniteMagnitude) }
  }

  /// The value of an option that takes bytes.
  package func size(_ option: CommandOption) -> Int? { text(option).flatMap { ValueKind.size($0) } }

  mutating func add(_ option: CommandOption, _ value: String) {
    if option.isRepeatable { values[option.name, default: []].append(value) } else { values[option.name] = [value] }
  }
}
