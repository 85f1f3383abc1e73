import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFTransport

/// Each in a process of its own, so that nobody else's memory is counted.
@Suite struct MemoryTests {
  @Test func `a slow reader holds the server back, and memory stays within its window`() async {
    await #expect(processExitsWith: .success) {
      let count = 192 << 20
      let server = try TestServer { _ in .pattern(Int64(count)) }
      _ = try await Engine.forTests().read(server.url(), pause: nil)
      let before = ProcessSnapshot.take().residentBytes
      ProcessSnapshot.resetPeak()
      let result = try await Engine.forTests().read(server.url(), pause: .milliseconds(1))
      try require(result.count == count && result.digest == TestPattern.sha256(count: Int64(count)), "the body")
      let grown = ProcessSnapshot.take().peakResidentBytes - before
      try require(grown < 16 << 20 || ProcessSnapshot.isSanitized, "memory grew by \(grown)")
      try server.stop()
    }
  }

  @Test func `pitfall 10: a slow reader of a gzip bomb keeps memory in bounds, and loses nothing`() async {
    await #expect(processExitsWith: .success) {
      let packed = try #require(gzip(Data(count: 200 << 20)))
      let server = try TestServer { _ in .data(packed).with("Content-Encoding", "gzip") }
      let before = ProcessSnapshot.take().residentBytes
      ProcessSnapshot.resetPeak()
      let result = try await Engine.forTests().read(server.url(), pause: .microseconds(100))
      try require(result.count == 200 << 20, "the body")
      let grown = ProcessSnapshot.take().peakResidentBytes - before
      try require(grown < 48 << 20 || ProcessSnapshot.isSanitized, "memory grew by \(grown)")
      try server.stop()
    }
  }

  @Test func `B45: five hundred engines made and dropped leave nothing behind`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer { _ in .text("x") }
      for _ in 0..<50 { _ = await Engine.forTests().run(.get(server.url())) }
      try await eventually("the warm-up is over") { server.openConnectionCount == 0 }
      let before = ProcessSnapshot.take()
      for round in 0..<500 {
        let engine = Engine.forTests()
        if round % 2 == 0 {
          _ = await engine.run(.get(server.url()))
        } else {
          engine.start(.get(server.url()), handler: TransferProbe())
        }
      }
      try await eventually("threads and descriptors are back") {
        let now = ProcessSnapshot.take()
        return server.openConnectionCount == 0 && now.descriptors <= before.descriptors + 3
          && now.threads <= before.threads + 3
      }
      let grown = ProcessSnapshot.take().residentBytes - before.residentBytes
      try require(grown < 20 << 20 || ProcessSnapshot.isSanitized, "memory grew by \(grown)")
      try server.stop()
    }
  }

  @Test func `an idle engine with a kept connection is not woken`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer { _ in .text("x") }
      let engine = Engine.forTests()
      _ = await engine.run(.get(server.url()))
      // The wait itself is what is tested: three seconds in which nothing wakes the thread. A busy machine may still be at
      // the request's own work in the first of them.
      try await eventually(within: 30, "the engine sleeps for three seconds") {
        let before = wakeUps(ofThread: "af.engine")
        try await Task.sleep(for: .seconds(3))
        return before != nil && before == wakeUps(ofThread: "af.engine")
      }
      engine.shutDown(cancelling: true)
      try server.stop()
    }
  }
}

private struct Unmet: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ what: String) throws {
  guard condition else {
    FileHandle.standardError.write(Data("unmet: \(what)\n".utf8))
    throw Unmet(description: what)
  }
}

/// How often a thread of this process, by name, went to sleep of its own accord.
private func wakeUps(ofThread name: String) -> Int? {
  let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  for task in tasks {
    guard let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8),
      status.hasPrefix("Name:\t\(name)\n")
    else { continue }
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return line.flatMap { Int($0.drop { !$0.isNumber }) }
  }
  return nil
}
