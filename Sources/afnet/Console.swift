import Foundation

/// Writes a line to standard error, so that standard output holds nothing but the answer.
func printError(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
