import AFTestSupport
import Foundation
import Testing

/// The tool, which is built next to the tests.
enum AfnetTool {
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("afnet").path
  static let isBuilt = FileManager.default.isExecutableFile(atPath: path)
}

@Suite(
  "afnet reach",
  .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"),
  .enabled(if: AfnetTool.isBuilt, "afnet has not been built")
)
struct ReachCommandTests {
  /// The output and the status of one run.
  private func reach(_ arguments: String, in namespace: TestNamespace) async throws -> (output: String, status: String)
  {
    let output = try await namespace.command("sh", "-c", "'\(AfnetTool.path)' reach \(arguments) 2>&1; echo $?")
    let lines = output.split(separator: "\n")
    return (lines.dropLast().joined(separator: "\n"), String(lines.last ?? ""))
  }

  @Test("It says over what the Internet, hosts and interfaces are reachable; the exit status sums it up")
  func once() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    var (output, status) = try await reach("", in: namespace)
    #expect(output.contains("general  not reachable"))
    #expect(status == "1")
    try await namespace.ip("route add default via 192.0.2.1")
    (output, status) = try await reach("198.51.100.7 --interface v0", in: namespace)
    #expect(output.contains("198.51.100.7  reachable over v0 (Ethernet)  from 192.0.2.2 through 192.0.2.1"))
    #expect(output.contains("interface v0  reachable over v0 (Ethernet)"))
    #expect(status == "0")
    (output, status) = try await reach("--interface nothing", in: namespace)
    #expect(output.contains("there is no network interface nothing"))
    #expect(status == "1")
  }

  @Test("A wrong command line is said, with status 2", arguments: ["--bogus", "--interface", "--timeout soon"])
  func usage(arguments: String) async throws {
    let (output, status) = try await reach(arguments, in: TestNamespace())
    #expect(output.contains("afnet reach: "))
    #expect(status == "2")
  }

  @Test("With --watch --json, each change is one line of JSON")
  func watch() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let directory = try TemporaryDirectory()
    let output = directory.file("lines")
    let identifier = try await namespace.command(
      "sh", "-c", "'\(AfnetTool.path)' reach --watch --json >'\(output.path)' 2>&1 & echo $!"
    )
    let process = try #require(pid_t(identifier.trimmingCharacters(in: .whitespacesAndNewlines)))
    defer { kill(process, SIGTERM) }
    func lines() -> [[String: Any]] {
      let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
    }
    try await eventually(within: 20) { lines().count == 1 }
    try await namespace.ip("route del default")
    try await eventually(within: 20) { lines().count == 2 }
    try await namespace.ip("route add default via 192.0.2.1")
    try await eventually(within: 20) { lines().count == 3 }
    #expect(lines().compactMap { $0["reachable"] as? Bool } == [true, false, true])
    let path = try #require((lines()[0]["paths"] as? [[String: Any]])?.first)
    #expect(path["interface"] as? String == "v0")
    #expect(path["gateway"] as? String == "192.0.2.1")
  }
}
