import Foundation

/// `AFBenchmarks measure JOB`: one run of one client; prints the ``Sample`` as JSON.
enum MeasureCommand {
  static func run(_ arguments: [String]) async throws {
    guard let text = arguments.first else { throw UsageError("measure needs a job") }
    let job = try JSONDecoder().decode(Job.self, from: Data(text.utf8))
    guard let client = Catalog.workload(job.workload)?.clients.first(where: { $0.name == job.client }) else {
      throw UsageError("there is no client \(job.client) for \(job.workload)")
    }
    let meter = Meter(profiles: job.profiles)
    try await client.run(job, meter)
    guard let sample = meter.sample else { throw BenchmarkError("\(job.client) measured nothing") }
    print(String(decoding: try JSONEncoder().encode(sample), as: UTF8.self))
  }
}
