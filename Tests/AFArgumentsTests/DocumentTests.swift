import AFArguments
import Foundation
import Testing

/// Help, manual page and completions, from the same table.
@Suite struct DocumentTests {
  @Test func `the help of a command begins with examples and names every option`() {
    let text = HelpText.command(Sample.command, of: Sample.table, width: 60)
    #expect(
      text.hasPrefix("tool copy: copies things\n\nExamples:\n  tool copy a b\n      Copies a to b.\n\nUsage: tool copy")
    )
    for option in Sample.command.options { #expect(text.contains("--\(option.name)")) }
    #expect(text.contains("Can be repeated."))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
    #expect(text.contains("Exit status:\n  0  Done."))
    #expect(HelpText.command(Sample.other, of: Sample.table).contains("Exit status: 0 or 1."))
  }

  @Test func `the overview names every command`() {
    let text = HelpText.overview(Sample.table)
    #expect(text.contains("  copy  copies things\n  list  lists things"))
  }

  @Test func `no text of the table becomes a request or an escape of roff`() {
    let text = ManualPage.text(Sample.table)
    for line in text.split(separator: "\n") where line.hasPrefix(".") {
      #expect(line.wholeMatch(of: /\.(TH|SH|SS|B|I|PP|TP|EX|EE|RS|RE)( .*)?/) != nil, "\(line)")
    }
    #expect(text.contains("A \\(aqname\\(aq with a \\e and [brackets]: odd."))
    #expect(text.contains("\\-.\\(aqIt copies\\(ga."))
    for option in Sample.command.options { #expect(text.contains("\\-\\-\(option.name)")) }
    #expect(text.components(separatedBy: "Of: copy, list.").count == 2, "shared options stand there once")
  }

  @Test(arguments: ShellCompletions.shells)
  func `every shell's script names every option of every command`(shell: String) throws {
    let script = try #require(ShellCompletions.script(for: shell, Sample.table))
    for command in Sample.table.commands {
      #expect(script.contains(command.name))
      for option in command.options {
        #expect(script.contains(shell == "fish" ? "-l \(option.name)" : "--\(option.name)"))
      }
    }
    #expect(ShellCompletions.script(for: "csh", Sample.table) == nil)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the shell itself finds nothing wrong with its script`(shell: String) throws {
    let path = "/usr/bin/\(shell)"
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    let script = try #require(ShellCompletions.script(for: shell, Sample.table))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-n"]
    let input = Pipe()
    process.standardInput = input
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(arguments: [
    ("tool c", "copy"), ("tool copy --fo", "--force"), ("tool copy --mode f", "fast"), ("tool list --cou", "--count"),
  ])
  func `bash completes`(line: String, expected: String) throws {
    let script = try #require(ShellCompletions.script(for: "bash", Sample.table))
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { ShellWord.quoted(String($0)) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = [
      "-c",
      script
        + "\nCOMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1); _tool; echo \"${COMPREPLY[*]}\"",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == expected + "\n")
  }

  private enum ShellWord {
    static func quoted(_ word: String) -> String { "'\(word)'" }
  }
}
