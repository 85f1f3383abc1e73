import AFTestSupport
import Foundation

/// The benchmark program as the build made it, run to its end.
struct BenchmarkRun {
  let status: Int32
  let output: String
  let complaint: String

  init(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    // What a client holds when its figures have been printed is nobody's loss.
    process.environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    let errors = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    self.output = String(decoding: try output.fileHandleForReading.readAll(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
    complaint = try String(contentsOf: errors, encoding: .utf8)
  }

  /// It lies beside the tests.
  static var executable: URL {
    var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while directory.path != "/" {
      let candidate = directory.appendingPathComponent("AFBenchmarks")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      directory.deleteLastPathComponent()
    }
    return URL(fileURLWithPath: ".build/debug/AFBenchmarks")
  }
}
