import AFTestSupport
import Foundation

/// The program `transferprobe`, as a process that can be killed.
final class Probe: Sendable {
  static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("transferprobe").path

  private let process = UncheckedProcess()
  private let output = Pipe()
  private let lines = Recorder<String>()
  private let ended = Recorder<Int32>()

  private struct UncheckedProcess: @unchecked Sendable {
    // Foundation's Process may be asked and signalled from any thread once it runs.
    let process = Process()
  }

  // `wrapper` is a command before it, such as `unshare`, whose last words are followed by the program's.
  init(_ arguments: [String], wrapper: [String] = []) throws {
    let process = process.process
    let words = wrapper + [Self.path] + arguments
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    process.standardInput = FileHandle(forReadingAtPath: "/dev/null")
    let (lines, ended) = (lines, ended)
    let handle = output.fileHandleForReading
    try process.run()
    DispatchQueue(label: "probe").async {
      var rest = ""
      while case let data = handle.availableData, !data.isEmpty {
        rest += String(decoding: data, as: UTF8.self)
        while let end = rest.firstIndex(of: "\n") {
          lines.record(String(rest[..<end]))
          rest = String(rest[rest.index(after: end)...])
        }
      }
      process.waitUntilExit()
      ended.record(
        process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus)
    }
  }

  var said: [String] { lines.values }

  /// Ends it as a crash or `kill -9` does.
  func kill() {
    Glibc.kill(process.process.processIdentifier, SIGKILL)
  }

  /// Waits for its end: an exit status, or a signal's number negated.
  @discardableResult
  func wait(within seconds: Double = 10) async throws -> Int32 {
    try await ended.wait(for: 1, within: seconds)[0]
  }

  func waitUntilSaid(_ prefix: String, within seconds: Double = 10) async throws {
    try await eventually(within: seconds, "'\(prefix)' said") { said.contains { $0.hasPrefix(prefix) } }
  }
}
