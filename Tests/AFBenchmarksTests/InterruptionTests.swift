import AFSupport
import Foundation
import Testing

/// That a run which is ended from outside clears away what it has made.
@Suite struct InterruptionTests {
  @Test("A run that is interrupted leaves no process and no file behind", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("AFB-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let process = Process()
    process.executableURL = BenchmarkRun.executable
    process.arguments = ["requests", "--http", "1.1", "--no-gate", "--seconds", "60", "--directory", directory.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The server and the client that it measures.
    let children = try Self.wait("two children") {
      let children = Self.children(of: process.processIdentifier)
      return children.count == 2 ? children : nil
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
    _ = try Self.wait("the children's end") { children.allSatisfy { kill($0, 0) != 0 } ? true : nil }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }

  private struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  private static func wait<Value>(_ what: String, _ look: () -> Value?) throws -> Value {
    let deadline = MonotonicTime.now + 30
    while MonotonicTime.now < deadline {
      if let value = look() { return value }
      usleep(10_000)
    }
    throw Missing(description: "\(what) did not come within 30 s")
  }

  private static func children(of process: pid_t) -> [pid_t] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { pid_t($0) }.filter { child in
      let status = (try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)) ?? ""
      return status.contains("PPid:\t\(process)\n")
    }
  }
}
