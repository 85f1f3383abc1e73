import Foundation

/// Writes a line to standard error, so that standard output holds nothing but the answer.
func printError(_ text: String) {
  try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
}
