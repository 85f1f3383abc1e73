import AFArguments
import Testing

@Suite struct ConfigurationFileTests {
  private func parse(_ text: String) throws -> Arguments {
    try ConfigurationFile.parse(text, name: "config", options: Sample.command.options)
  }

  @Test func `names, values, comments and empty lines`() throws {
    let arguments = try parse("# about\n\n  name =  a = b \r\nforce\nfield=a:1\nfield = b:2\n\tcount=3")
    #expect(arguments.text(Sample.name) == "a = b")
    #expect(arguments.has(Sample.force))
    #expect(arguments.all(Sample.field) == ["a:1", "b:2"])
    #expect(arguments.integer(Sample.count) == 3)
  }

  @Test(arguments: [
    ("nme = x", "config, line 1: 'nme' is no option that a configuration file may hold; do you mean name?"),
    ("\nname", "config, line 2: name needs a value: name = NAME"),
    ("name =", "config, line 1: name needs a value: name = NAME"),
    ("force = yes", "config, line 1: force takes no value"),
    ("count = many", "config, line 1: count: 'many' is not a whole number from 0 to 10"),
  ])
  func `a mistake names its line`(text: String, message: String) {
    #expect(throws: ArgumentError(message)) { try parse(text) }
  }

  @Test func `the command line wins, what can be repeated adds up, and what is excluded gives way`() throws {
    let defaults = try parse("name = old\nfield = a:1\nmode = fast\nverbose")
    let arguments = try #require(
      try Sample.command.parse(["--name", "new", "-Hb:2", "-f", "x"], defaults: defaults))
    #expect(arguments.text(Sample.name) == "new")
    #expect(arguments.all(Sample.field) == ["a:1", "b:2"])
    #expect(!arguments.has(Sample.mode), "--force excludes it")
    #expect(arguments.has(Sample.verbose))
    let other = try #require(try Sample.other.parse([], defaults: defaults))
    #expect(!other.has(Sample.verbose), "an option that the command has not")
  }
}
