import AFTestSupport
import Foundation

/// Prints what the tour does, and remembers whether all of it held.
final class Tour: Sendable {
  private let failures = Recorder<String>()
  private let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Runs one step, which says whether it held, and prints a line about it: a rate where it moved bytes, and the most memory
  /// that the process has held during the step.
  func step(_ name: String, bytes: Int64? = nil, _ body: () async throws -> Bool) async {
    ProcessSnapshot.resetPeak()
    let start = ContinuousClock.now
    var problem: String?
    do {
      if try await !body() { problem = "not what was expected" }
    } catch {
      problem = error.localizedDescription
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    if let problem { failures.record(problem) }

    var facts = [String(format: "%.0f ms", seconds * 1000)]
    if let bytes { facts.append(String(format: "%.0f MiB/s", Double(bytes) / 1_048_576 / seconds)) }
    facts.append("peak \(ProcessSnapshot.take().peakResidentBytes >> 20) MiB")
    if isTerminal { print("\r\u{1B}[K", terminator: "") }
    print("\(problem == nil ? "ok  " : "FAIL") \(name) (\(facts.joined(separator: ", ")))")
    if let problem { print("     \(problem)") }
  }

  /// Draws a bar; for the `progress:` parameter of uploads and downloads.
  var showProgress: @Sendable (Progress) -> Void {
    { [isTerminal] progress in
      guard isTerminal else { return }
      let filled = Int(progress.fractionCompleted * 40)
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: max(0, 40 - filled))
      print("\r\(bar) \(Int(progress.fractionCompleted * 100)) %", terminator: "")
      fflush(nil)
    }
  }

  /// Ends the program: with 0 if every step held.
  func end() -> Never {
    print(failures.count == 0 ? "Everything held." : "\(failures.count) steps did not hold.")
    exit(failures.count == 0 ? 0 : 1)
  }
}
