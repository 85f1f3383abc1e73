import Foundation

/// Standard error, where everything goes that is not the result.
enum Console {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  static func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }

  static func complain(_ text: String) {
    write("AFBenchmarks: \(text)\n")
  }
}
