import AFCore
import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import Testing

/// Each moment of a transfer × what can go wrong then × kind of task, over HTTP/1.1 and HTTP/2: one completion, the right typed
/// error in time, a session that goes on, and nothing left behind. The table is printed when the run is over.
///
/// Each protocol has a process of its own, where nobody else opens descriptors.
@Suite struct FaultMatrixTests {
  @Test(.timeLimit(.minutes(5))) func `Over HTTP/1.1 every fault at every moment ends a task once, in time`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      print(try await FaultMatrix.run(.http1))
      leaveAtOnce()
    }
    report(result)
  }

  @Test(.timeLimit(.minutes(5))) func `Over HTTP/2 every fault at every moment ends a task once, in time`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      print(try await FaultMatrix.run(.http2))
      leaveAtOnce()
    }
    report(result)
  }

  private func report(_ result: ExitTest.Result?) {
    guard let output = result?.standardOutputContent, !output.isEmpty else { return }
    FaultTable.printAtExit(String(decoding: output, as: UTF8.self))
  }
}

enum FaultMatrix {
  /// Runs every cell there is; returns the table.
  static func run(_ version: FaultProtocol) async throws -> String {
    // For names that are never found: two questions of a second each, and no more.
    setenv("RES_OPTIONS", "timeout:1 attempts:1", 1)
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost", "*.fault.test"])
    let policy = try AFSecurityPolicy.trusting(authority.certificate)
    var table = FaultTable(version)
    // What the first use of everything leaves for good is not to count.
    _ = try await run(FaultCell(version: version, moment: .connect, fault: .drip, task: .data), identity, policy)
    try await eventually(within: 30, "no engine thread") { engineThreads == 0 }
    let level = ProcessSnapshot.take().descriptors
    let names = TestNamespace.isAvailable ? try await FaultNames() : nil
    for moment in FaultMoment.allCases {
      let cells = Fault.allCases.flatMap { fault in
        FaultedTask.allCases.map { FaultCell(version: version, moment: moment, fault: fault, task: $0) }
      }.filter { $0.absence == nil }
      let run = { @Sendable (cell: FaultCell) in
        moment == .resolve
          ? try await names?.run(cell, identity, policy) ?? "not run" : try await Self.run(cell, identity, policy)
      }
      table.words.merge(try await together(cells, run)) { $1 }
      let extra = names?.descriptors ?? 0
      try await eventually(within: 20, "\(moment.rawValue): descriptors and threads are back") {
        engineThreads == 0 && ProcessSnapshot.take().descriptors <= level + extra
      }
    }
    names?.stop()
    return table.text
  }

  private static var engineThreads: Int { ProcessSnapshot.take().threadNames.count { $0 == "af.engine" } }

  /// Many at a time, since most of them wait.
  private static func together(
    _ cells: [FaultCell], _ run: @escaping @Sendable (FaultCell) async throws -> String
  ) async throws -> [String: String] {
    try await withThrowingTaskGroup(of: (String, String).self) { group in
      var rest = cells[...]
      var words: [String: String] = [:]
      for _ in 0..<16 {
        guard let cell = rest.popFirst() else { break }
        group.addTask { (cell.name, try await run(cell)) }
      }
      while let (name, word) = try await group.next() {
        words[name] = word
        if let cell = rest.popFirst() { group.addTask { (cell.name, try await run(cell)) } }
      }
      return words
    }
  }

  private static func run(_ cell: FaultCell, _ identity: TestIdentity, _ policy: AFSecurityPolicy) async throws
    -> String
  {
    let scene = try FaultScene.make(cell, identity)
    let run = try FaultRun(cell, policy: policy)
    _ = try run.start(scene.faultyURL)
    let word = try await run.judge()
    scene.heal()
    await run.goOn(scene.url)
    try scene.stop()
    return word
  }
}
