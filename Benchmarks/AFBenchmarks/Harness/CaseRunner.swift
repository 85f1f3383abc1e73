import AFSupport
import Foundation

/// Runs every client of one case in turn, round after round.
struct CaseRunner {
  /// A run that others disturbed is made again, so often.
  private static let attempts = 3

  let plan: Plan
  let rounds: Int
  let workbench: Workbench
  let gate: LoadGate
  let progress: ProgressLine
  /// Whether every client runs once more to tell where its time goes.
  let isProfiled: Bool

  mutating func run() throws -> [ClientResult] {
    let job = try workbench.prepare(plan.benchmark)
    var results = plan.clients.map {
      ClientResult(
        workload: plan.workload.name, benchmark: plan.benchmark, client: $0.name)
    }
    for round in 0..<rounds {
      // Whoever comes first in one round comes later in the next: what heats up or fills up hits all alike.
      for position in plan.clients.indices {
        let index = (position + round) % plan.clients.count
        results[index].runs.append(try measure(plan.clients[index], job: job, round: round))
      }
    }
    if isProfiled {
      for index in plan.clients.indices {
        var job = job
        job.profiles = true
        results[index].profile = try measure(plan.clients[index], job: job, round: rounds).sample
      }
    }
    results.compare(with: plan.workload.yardstick)
    return results
  }

  private func measure(_ client: Client, job: Job, round: Int) throws -> Run {
    let step = plan.step(client)
    progress.begin(step, detail: job.profiles ? "profile" : "round \(round + 1) of \(rounds)")
    let start = MonotonicTime.now
    var job = job
    job.workload = plan.workload.name
    job.client = client.name
    var run: Run
    var attempt = 0
    repeat {
      gate.waitForQuiet()
      run = try measureOnce(client, job, round: round)
      attempt += 1
    } while run.isDisturbed && gate.isActive && attempt < Self.attempts
    progress.end(step, seconds: MonotonicTime.now - start)
    return run
  }

  private func measureOnce(_ client: Client, _ job: Job, round: Int) throws -> Run {
    let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
    let server = workbench.serverIdentifiers
    let serverStart = server.reduce(0) { $0 + ProcessFile.processorSeconds(of: $1) }
    let mark = gate.mark()
    let child: ChildProcess
    let output: String
    var timeline: [Run.Moment] = []
    var setting = ChildProcess.Setting(processor: workbench.clientProcessor)
    // What a client puts into the temporary directory is then on the same file system as where it belongs.
    setting.environment["TMPDIR"] = job.directory
    if let authorities = job.allAuthorities {
      setting.environment["SSL_CERT_FILE"] = authorities
      if client.needsSystemTrust { setting.systemAuthorities = authorities }
    }
    do {
      child = try ChildProcess(itself: ["measure", text], setting: setting)
      output = try child.finish {
        let bytes = ProcessFile.fileBytes(of: child.identifier)
        timeline.append(
          Run.Moment(
            seconds: MonotonicTime.now - mark.time, residentBytes: ProcessFile.residentBytes(of: child.identifier),
            fileBytes: max(bytes.read, bytes.written)))
      }
    } catch let error as BenchmarkError {
      throw BenchmarkError("\(plan.benchmark.name), \(job.client): \(error)")
    }
    let others = gate.others(since: mark)
    let serverSeconds = server.reduce(0) { $0 + ProcessFile.processorSeconds(of: $1) } - serverStart
    guard let line = output.split(separator: "\n").last,
      let sample = try? JSONDecoder().decode(Sample.self, from: Data(line.utf8)), sample.units > 0, sample.seconds > 0
    else { throw BenchmarkError("\(plan.benchmark.name), \(job.client): no result but \(output.debugDescription)") }
    return Run(
      round: round, sample: sample,
      // The kernel counts a process's time in ticks of 10 ms: of a short run that says nothing.
      serverLoad: sample.seconds > 0.2 ? serverSeconds / sample.seconds : 0,
      isDisturbed: others > LoadGate.limit, timeline: timeline)
  }
}
