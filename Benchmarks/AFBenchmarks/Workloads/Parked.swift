import CBenchmarkPeers
import Foundation

extension Workload {
  /// Small GETs on a session on which many others wait for answers that do not come.
  static let parked = Workload(
    name: "parked",
    summary: "the same small GETs beside 1,000 long polls that the server does not answer",
    yardstick: "libcurl",
    clients: [
      Client(name: "libcurl", summary: "C: one thread, epoll, the polls on the same multi handle") { job, meter in
        DescriptorLimit.raise()
        try await LibcurlRequests.run(job, meter) { afb_requests_run($0, $1, $2) }
      },
      AFNetworkingClient.parkedRequests,
      EngineClient.parkedRequests,
    ],
    cases: { options in
      guard !options.usesTLS, !options.httpVersions.contains(.http2) else {
        throw UsageError("parked is measured over HTTP/1.1 without TLS")
      }
      return (options.concurrency.isEmpty ? [1, 64] : options.concurrency).map { inFlight in
        var job = Job()
        job.url = "/json"
        job.concurrency = inFlight
        job.parked = options.isQuick ? 100 : 1000
        job.seconds = options.runSeconds
        return Case(name: "parked-\(job.parked)-h1-\(inFlight)", job: job, server: .plain, unit: .requests)
      }
    })
}

/// The polls of a `parked` run.
enum Parking {
  static func url(_ job: Job) -> String { job.url.replacingOccurrences(of: "/json", with: "/park") }

  /// Returns when all of the client's polls, and no others, wait at the server. `meanwhile` keeps the client going.
  static func waitUntilFull(_ job: Job, meanwhile: () async throws -> Void) async throws {
    for _ in 0..<2000 {
      let count = try withPeerError { afb_get_count(url(job) + "ed", $0) }
      if count == job.parked { return }
      try await meanwhile()
      usleep(5000)
    }
    throw BenchmarkError("not all of the \(job.parked) polls reached the server")
  }
}
