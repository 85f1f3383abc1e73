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

  /// Starts it.
  init(_ executable: String, _ arguments: [String], setting: Setting = Setting()) throws {
    let command = setting.prefix + [executable] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(setting.environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    Leftovers.add(child: process.processIdentifier)
  }

  /// This program, started once more.
  convenience init(itself arguments: [String], setting: Setting = Setting()) throws {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    try self.init(executable, arguments, setting: setting)
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
    Leftovers.remove(child: identifier)
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
    Leftovers.remove(child: identifier)
  }
}

extension ChildProcess {
  /// How a child finds the machine.
  struct Setting {
    var environment: [String: String] = [:]
    /// The processor to stay on, or nil for any.
    var processor: Int?
    /// The file that the child sees in the place of the system's authorities.
    var systemAuthorities: String?

    /// What is put before the command. Each part gives its place to the next, so that the process stays the same one.
    fileprivate var prefix: [String] {
      var words: [String] = []
      if let processor { words += ["/usr/bin/taskset", "-c", "\(processor)"] }
      if let systemAuthorities {
        words += [
          Self.unshare, "--mount", "/bin/sh", "-c",
          #"mount --bind "$0" \#(BenchmarkCertificates.systemFile) && exec "$@""#, systemAuthorities,
        ]
      }
      return words
    }

    private static let unshare = "/usr/bin/unshare"

    /// Why no child can be given other authorities on this machine, or nil.
    static var whyNoAuthorities: String? {
      guard geteuid() == 0 else { return "only root can give it a file of authorities that has ours" }
      for path in [unshare, BenchmarkCertificates.systemFile] where !FileManager.default.fileExists(atPath: path) {
        return "there is no \(path)"
      }
      return nil
    }
  }
}
