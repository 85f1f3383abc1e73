import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about what is left behind. Each runs in a process of its own, where nobody else opens and allocates.
@Suite struct ResourceReports {
  @Test(.timeLimit(.minutes(3))) func `B45 500 sessions leave no thread, descriptor, task or memory behind`() async {
    await #expect(processExitsWith: .success) {
      try await withTestServer(handler: { $0.path == "/slow" ? .none(.stall) : .pattern(10 << 10) }) { server in
        for _ in 0..<20 { _ = try await makeManager(server, serializer: AFHTTPResponseSerializer()).get("a") }
        try await eventually(within: 30) { ResourceReports.engineThreads() == 0 && server.openConnectionCount == 0 }
        let before = ProcessSnapshot.take()
        let tasks = Recorder<ResourceReports.WeakTask>()
        for index in 0..<500 {
          let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
          guard index.isMultiple(of: 3) else {
            _ = try await manager.get("a")
            continue
          }
          let task = manager.get("slow", success: nil)
          tasks.record(ResourceReports.WeakTask(task: task))
          task?.cancel()
        }
        try await eventually(within: 30, "no engine thread") { ResourceReports.engineThreads() == 0 }
        try await eventually(within: 30, "no task") { tasks.values.allSatisfy { $0.task == nil } }
        try await eventually(within: 30, "no descriptor") {
          ProcessSnapshot.take().descriptors <= before.descriptors + 3
        }
        #expect(ProcessSnapshot.isSanitized || ProcessSnapshot.take().residentBytes - before.residentBytes < 20 << 20)
      }
    }
  }

  @Test(.timeLimit(.minutes(3))) func `B45 20,000 GETs on one session do not make it grow`() async {
    await #expect(processExitsWith: .success) {
      var options = TestServer.Options()
      options.records = false
      try await withTestServer(options, handler: { _ in .pattern(10 << 10) }) { server in
        let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
        try await ResourceReports.run(2000, manager)
        let before = ProcessSnapshot.take().residentBytes
        try await ResourceReports.run(20_000, manager)
        #expect(ProcessSnapshot.isSanitized || ProcessSnapshot.take().residentBytes - before < 20 << 20)
        #expect(manager.tasks.isEmpty)
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `A manager is made in no time and without a thread; an idle session sleeps`()
    async
  {
    await #expect(processExitsWith: .success) {
      let server = try TestServer { _ in .text("x") }
      try await ResourceReports.run(16, makeManager(server, serializer: AFHTTPResponseSerializer()))
      try await eventually { ResourceReports.engineThreads() == 0 }
      let start = MonotonicTime.now
      let managers = (0..<1000).map { _ in makeManager(server, serializer: AFHTTPResponseSerializer()) }
      for manager in managers { _ = manager.session }
      #expect(MonotonicTime.now - start < 10)
      #expect(ResourceReports.engineThreads() == 0)
      _ = try await managers[0].get("a")
      #expect(ResourceReports.engineThreads() == 1)
      let before = ProcessSnapshot.take().voluntarySwitches
      // Sleeps because what is proved is that nothing happens meanwhile.
      try await Task.sleep(nanoseconds: 2_000_000_000)
      // A sanitizer has a thread of its own, which is not idle.
      #expect(ProcessSnapshot.isSanitized || ProcessSnapshot.take().voluntarySwitches - before < 20)
      try server.stop()
    }
  }

  // Unchecked because a weak reference cannot be a constant; it is set once.
  struct WeakTask: @unchecked Sendable {
    weak var task: AFURLSessionTask?
  }

  static func engineThreads() -> Int {
    ProcessSnapshot.take().threadNames.count { $0.hasPrefix("af.engine") }
  }

  static func run(_ count: Int, _ manager: AFHTTPSessionManager) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          for _ in stride(from: worker, to: count, by: 16) { _ = try await manager.get("a") }
        }
      }
      try await group.waitForAll()
    }
  }
}
