import AFTestSupport
import Foundation
import Testing

@testable import AFTransfer

/// A store is killed at random moments, and must then hold what was acknowledged, and nothing that was not begun.
@Suite(.serialized) struct StoreCrashTests {
  /// 40 in a usual run; `AF_TEST_KILLS=500` is the long one.
  static let kills = ProcessInfo.processInfo.environment["AF_TEST_KILLS"].flatMap { Int($0) } ?? 40

  @Test func `what was acknowledged is there after a kill at any moment, and nothing half done`() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path + "/queue"
    var model = StoreModel()
    var commits = 0
    for round in 0..<Self.kills {
      let probe = try Probe(["store", folder, "\(round + 1)"])
      try await probe.waitUntilSaid("open")
      try await Task.sleep(nanoseconds: UInt64.random(in: 0...40_000_000))
      probe.kill()
      #expect(try await probe.wait() == -9)

      var begun: String?
      for line in probe.said {
        if line.hasPrefix("!") {
          model.apply(line)
          commits += 1
          begun = nil
        } else if line.hasPrefix("?") {
          begun = line
        }
      }
      let store = try SQLiteTransferStore(folder: folder)
      #expect(store.recovery == nil)
      let found = StoreModel(try store.snapshot())
      store.close()
      var alternative = model
      if let begun { alternative.apply(begun) }
      #expect(found == model || found == alternative, "round \(round), \(begun ?? "nothing") begun")
      model = found
    }
    #expect(commits > Self.kills)
  }

  @Test func `the lock goes with the process that is killed`() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path + "/queue"
    let probe = try Probe(["hold", folder])
    try await probe.waitUntilSaid("owned")
    do {
      _ = try SQLiteTransferStore(folder: folder)
      Issue.record("it has two owners")
    } catch AFTransferStoreError.inUse(let owner) {
      #expect(owner != nil && owner != getpid())
    }
    probe.kill()
    try await probe.wait()
    _ = try SQLiteTransferStore(folder: folder)
  }

  @Test(.enabled(if: geteuid() == 0)) func `on a full disk nothing is added, and everything can end`() async throws {
    let directory = try TemporaryDirectory()
    let script = "mount -t tmpfs -o size=4m none '\(directory.path)' && exec \"$@\""
    let probe = try Probe(
      ["full", directory.path + "/queue"], wrapper: ["unshare", "--mount", "sh", "-c", script, "sh"])
    let status = try await probe.wait(within: 30)
    #expect(status == 0)
    #expect(probe.said.count == 5, "\(probe.said)")
    #expect(probe.said.first?.hasPrefix("full ") == true)
    #expect(Array(probe.said.dropFirst()) == ["still full", "ended 20", "removed", "added after"])
  }
}
