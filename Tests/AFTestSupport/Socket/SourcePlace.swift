/// The line of the test that made something, for messages that must be traced back to it.
package struct SourcePlace: Sendable, CustomStringConvertible {
  package let file: String
  package let line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  package var description: String { "\(file):\(line)" }
}
