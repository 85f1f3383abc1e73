import AFTestSupport
import Foundation

/// The tool as a user runs it: the executable that was built beside the tests.
enum Afnet {
  struct Result: Sendable {
    var status: Int32
    var output: Data
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("afnet").path

  /// An environment in which nothing of the machine counts.
  static func environment(_ more: [String: String] = [:]) -> [String: String] {
    ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"].merging(more) { $1 }
  }

  /// Runs the tool to its end.
  static func run(
    _ arguments: String..., input: Data? = nil, environment: [String: String] = [:], directory: URL? = nil
  ) async throws -> Result {
    try await run(arguments, input: input, environment: environment, directory: directory)
  }

  static func run(
    _ arguments: [String], input: Data? = nil, environment: [String: String] = [:], directory: URL? = nil
  ) async throws -> Result {
    try await program(path, arguments, input: input, environment: environment, directory: directory)
  }

  /// Runs a line of shell in which `afnet` is the tool.
  static func shell(_ line: String, environment: [String: String] = [:], directory: URL? = nil) async throws -> Result {
    try await program(
      "/bin/bash", ["-c", "afnet() { '\(path)' \"$@\"; }\n\(line)"], environment: environment, directory: directory)
  }

  private static func program(
    _ path: String, _ arguments: [String], input: Data? = nil, environment: [String: String], directory: URL?
  ) async throws -> Result {
    let process = Process()
    // A tool that hangs fails the test, and does not hold it up.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    process.arguments = ["--foreground", "-k", "1", "40", path] + arguments
    process.environment = Self.environment(environment)
    if let directory { process.currentDirectoryURL = directory }
    let (output, errors, entry) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = input == nil ? FileHandle(forReadingAtPath: "/dev/null") : entry
    try process.run()
    if let input {
      DispatchQueue.global().async {
        try? entry.fileHandleForWriting.write(contentsOf: input)
        try? entry.fileHandleForWriting.close()
      }
    }
    async let text = read(output.fileHandleForReading)
    async let complaints = read(errors.fileHandleForReading)
    let (data, errorData) = try await (text, complaints)
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        process.waitUntilExit()
        continuation.resume()
      }
    }
    return Result(
      status: process.terminationReason == .uncaughtSignal
        ? 128 + process.terminationStatus : process.terminationStatus,
      output: data, errors: String(decoding: errorData, as: UTF8.self))
  }

  private static func read(_ handle: FileHandle) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try handle.readAll() }) }
    }
  }
}
