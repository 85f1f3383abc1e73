import AFSupport
import Foundation

/// Runs what the options ask for, prints the table, and writes the files.
struct BenchmarkCommand {
  let options: Options

  func run() async throws {
    warnAboutDebugBuild()
    let plans = try makePlans()
    Leftovers.clearWhenInterrupted()
    let workbench = try Workbench(options: options)
    let gate = LoadGate(isActive: options.waitsForQuiet) { [getpid()] + workbench.serverIdentifiers }
    let steps = plans.flatMap { plan in
      (0..<options.roundCount + (options.report == nil ? 0 : 1)).flatMap { _ in plan.clients.map { plan.step($0) } }
    }
    let progress = ProgressLine(steps: steps)
    var results: [ClientResult] = []
    for plan in plans {
      var runner = CaseRunner(
        plan: plan, rounds: options.roundCount, workbench: workbench, gate: gate, progress: progress,
        isProfiled: options.report != nil)
      let measured = try runner.run()
      progress.clear()
      print(Table.text(measured, rounds: options.roundCount), terminator: "\n\n")
      fflush(nil)
      results += measured
    }
    if let path = options.json { try JSONReport.write(results, to: path) }
    if let path = options.report { try HTMLReport.write(results, rounds: options.roundCount, to: path) }
  }

  private func makePlans() throws -> [Plan] {
    var plans: [Plan] = []
    for name in options.workloads {
      guard let workload = Catalog.workload(name) else { continue }
      for benchmark in try workload.cases(options) {
        var clients: [Client] = []
        for client in workload.clients where isWanted(client, in: workload) {
          if let reason = client.whyNot(benchmark) {
            Console.complain("\(benchmark.name) without \(client.name): \(reason)")
          } else {
            clients.append(client)
          }
        }
        if clients.contains(where: { $0.name == workload.yardstick }) || !clients.isEmpty {
          plans.append(Plan(workload: workload, benchmark: benchmark, clients: clients))
        }
      }
    }
    guard !plans.isEmpty else { throw BenchmarkError("nothing of this can be measured on this machine") }
    return plans
  }

  /// AFNetworking and the yardstick always run: without them no row says anything.
  private func isWanted(_ client: Client, in workload: Workload) -> Bool {
    switch options.peers {
    case .usual: client.isUsual
    case .all: true
    case .named(let names):
      names.contains(client.name) || client.name == workload.yardstick || client.name == "AFNetworking"
    }
  }

  private func warnAboutDebugBuild() {
    #if DEBUG
      Console.complain("built without optimisation: the figures say nothing. Use swift run -c release AFBenchmarks.")
    #endif
  }
}

/// One case with the clients that take part.
struct Plan {
  let workload: Workload
  let benchmark: Case
  let clients: [Client]

  func step(_ client: Client) -> String { "\(benchmark.name) · \(client.name)" }
}
