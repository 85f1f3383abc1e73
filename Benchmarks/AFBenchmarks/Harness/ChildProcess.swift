import AFSupport
import Foundation

/// A child that lives as long as its standard input stays open: whoever started it may die without leaving it behind.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()

  var identifier: pid_t { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Starts it; `pinned` is the processor to stay on, or nil for any.
  init(_ executable: String, _ arguments: [String], environment: [String: String] = [:], pinned: Int? = nil) throws {
    process.executableURL = URL(fileURLWithPath: pinned == nil ? executable : "/usr/bin/taskset")
    process.arguments = (pinned.map { ["-c", String($0), executable] } ?? []) + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  /// This program, started once more.
  convenience init(itself arguments: [String], environment: [String: String] = [:], pinned: Int? = nil) throws {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try self.init(executable, arguments, environment: environment, pinned: pinned)
  }

  /// What it printed first, up to the line's end.
  func firstLine() -> String {
    var line: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Waits for its end, with `watch` called about every 20 ms, and returns what it printed. If it failed, what it
  /// complained is thrown.
  func finish(watch: () -> Void = {}) throws -> String {
    while process.isRunning {
      watch()
      usleep(20_000)
    }
    process.waitUntilExit()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    guard process.terminationStatus == 0, process.terminationReason == .exit else {
      let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let how = process.terminationReason == .exit ? "ended with" : "was killed by signal"
      throw BenchmarkError(complaint.isEmpty ? "the client \(how) \(process.terminationStatus)" : complaint)
    }
    return text
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }
}
