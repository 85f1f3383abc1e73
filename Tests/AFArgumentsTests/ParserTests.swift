import AFArguments
import Testing

@Suite struct ParserTests {
  private func parse(_ words: String...) throws -> Arguments { try #require(try Sample.command.parse(words)) }

  @Test func `every way of writing an option is read`() throws {
    for words in [["--name", "x"], ["--name=x"], ["-n", "x"], ["-nx"], ["-fnx"], ["-vfn", "x"]] {
      let arguments = try #require(try Sample.command.parse(words + ["a"]))
      #expect(arguments.text(Sample.name) == "x")
      #expect(arguments.operands == ["a"])
    }
    #expect(try parse("--name=a=b", "a").text(Sample.name) == "a=b")
    #expect(try parse("--name=", "a").text(Sample.name) == "")
    #expect(try parse("--name", "--force", "a").text(Sample.name) == "--force", "a value may look like an option")
    #expect(try parse("-vf", "a").has(Sample.force))
    #expect(try !parse("-v", "a").has(Sample.force))
  }

  @Test func `operands are where they are, a dash is one, and two dashes end the options`() throws {
    #expect(try parse("a", "-v", "b").operands == ["a", "b"])
    #expect(try parse("-").operands == ["-"])
    #expect(try parse("--", "-v", "--name").operands == ["-v", "--name"])
    #expect(try !parse("--", "-v").has(Sample.verbose))
  }

  @Test func `repeated options add up if they may, else the last one counts`() throws {
    let arguments = try parse("-Ha:1", "--name", "x", "--field", "b:2", "-n", "y", "a")
    #expect(arguments.all(Sample.field) == ["a:1", "b:2"])
    #expect(arguments.text(Sample.name) == "y")
  }

  @Test func `help is asked for by either name, but not behind two dashes or as a value`() throws {
    #expect(try Sample.command.parse(["--help"]) == nil)
    #expect(try Sample.command.parse(["-vh", "--nonsense"]) == nil)
    #expect(try Sample.command.parse(["--", "--help"]) != nil)
    #expect(try Sample.command.parse(["-n", "-h", "a"]) != nil)
  }

  static let mistakes: [(words: [String], message: String)] = [
    (["--nam", "x"], "there is no option '--nam'; do you mean --name?"),
    (["--zzzzzz"], "there is no option '--zzzzzz'"),
    (["-x"], "there is no option '-x'"), (["--name"], "--name needs a value: --name NAME"),
    (["-n"], "-n needs a value: -n NAME"), (["--force=1", "a"], "--force takes no value"), ([], "FROM is missing"),
    (["a", "b", "c"], "'c' is one argument too many: copy [OPTIONS] FROM [TO]"),
    (["--count", "11", "a"], "--count: '11' is not a whole number from 0 to 10"),
    (["--count", "1.5", "a"], "--count: '1.5' is not a whole number from 0 to 10"),
    (["--wait", "nan", "a"], "--wait: 'nan' is not a number of seconds up to 60"),
    (["--wait", "-1", "a"], "--wait: '-1' is not a number of seconds up to 60"),
    (["--wait", "61", "a"], "--wait: '61' is not a number of seconds up to 60"),
    (["--rate", "fast", "a"], "--rate: 'fast' is not a number of bytes, such as 300, 64K, 1.5M or 2G"),
    (["--mode", "medium", "a"], "--mode: 'medium' is none of fast, slow"),
    (["--mode", "fast", "-f", "a"], "--mode and --force exclude each other"),
    (["-f", "--mode", "fast", "a"], "--mode and --force exclude each other"),
  ]

  @Test(arguments: mistakes)
  func `what is wrong is said in one line`(words: [String], message: String) {
    #expect(throws: ArgumentError(message)) { try Sample.command.parse(words) }
  }

  @Test(arguments: [
    ("0", 0), ("300", 300), ("64K", 65_536), ("64k", 65_536), ("1.5M", 1_572_864), ("2G", 2_147_483_648), (".5K", 512),
    ("1T", 1_099_511_627_776),
  ])
  func `sizes are read by powers of 1024`(text: String, bytes: Int) throws {
    #expect(try parse("--rate", text, "a").size(Sample.rate) == bytes)
  }

  @Test(arguments: ["", "K", ".", "1.2.3", "0x10", "1e3", "inf", "-1", "+1", "1 K", "9999999T", "1KB"])
  func `what is no size is none`(text: String) { #expect(ValueKind.size(text) == nil) }

  @Test func `numbers are read`() throws {
    let arguments = try parse("--count", "7", "--wait", "2.5", "a")
    #expect(arguments.integer(Sample.count) == 7)
    #expect(arguments.seconds(Sample.wait) == 2.5)
    #expect(arguments.seconds(Sample.rate) == nil)
  }

  @Test func `every option of the table can be given, and none without its value`() throws {
    for option in Sample.command.options {
      guard option.value != nil else {
        #expect(try parse("--\(option.name)", "a").has(option))
        continue
      }
      #expect(throws: ArgumentError.self) { try Sample.command.parse(["a", "--\(option.name)"]) }
    }
  }
}
