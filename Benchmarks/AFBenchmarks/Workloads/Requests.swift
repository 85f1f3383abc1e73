import CBenchmarkPeers
import Foundation

extension Workload {
  /// Small GETs over connections that stay open.
  static let requests = Workload(
    name: "requests",
    summary: "GET 200 bytes of JSON, one after another and 64 at a time, HTTP/1.1 and HTTP/2",
    yardstick: "libcurl",
    clients: [
      Client(name: "libcurl", summary: "C: one thread, epoll, handles used again") { job, meter in
        try await LibcurlRequests.run(job, meter, afb_requests_run)
      },
      Client(
        name: "libcurl-thread", summary: "C: the same, on another thread than the one that asks", isUsual: false
      ) { job, meter in
        try await LibcurlRequests.run(job, meter, afb_requests_run_elsewhere)
      },
      AFNetworkingClient.requests,
      AFNetworkingClient.decodedRequests,
      AFNetworkingClient.closureRequests,
      EngineClient.requests,
      URLSessionRequests.client,
    ],
    cases: { options in
      let versions = options.httpVersions.isEmpty ? [.http1, .http2] : options.httpVersions
      return versions.flatMap { version in
        // One request at a time over HTTP/2 shows nothing that HTTP/1.1 does not.
        let usual = version == .http2 ? [64] : [1, 64]
        return (options.concurrency.isEmpty ? usual : options.concurrency).map { inFlight in
          var job = Job()
          job.url = "/json"
          job.concurrency = inFlight
          job.seconds = options.runSeconds
          job.usesHTTP2 = version == .http2
          let isTLS = version == .http1 && options.usesTLS
          return Case(
            name: "requests-\(version == .http2 ? "h2" : isTLS ? "h1-tls" : "h1")-\(inFlight)", job: job,
            server: version == .http2 ? .http2 : isTLS ? .tls : .plain, unit: .requests)
        }
      }
    })
}

/// How the clients of `requests` go about it: practice, then as many requests as take the time asked for.
enum RequestPace {
  static func measure(
    _ job: Job, _ meter: Meter, practice: Int64 = 100, _ send: (Int64) async throws -> Void
  ) async throws {
    try await send(max(practice, Int64(job.concurrency) * 4))
    let trial = max(practice, Int64(job.concurrency) * 8)
    meter.start()
    try await send(trial)
    meter.stop(units: trial)
    guard let sample = meter.sample else { return }
    let count = max(trial, Int64(job.seconds / sample.seconds * Double(trial)))
    meter.start()
    try await send(count)
    meter.stop(units: count)
  }

  /// Keeps `job.concurrency` calls of `send` going until `count` have been made.
  static func sendConcurrently(_ count: Int64, _ job: Job, _ send: @escaping @Sendable () async throws -> Void)
    async throws
  {
    let lanes = min(Int64(job.concurrency), count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<lanes {
        let share = count / lanes + (lane < count % lanes ? 1 : 0)
        group.addTask { @concurrent in
          for _ in 0..<share { try await send() }
        }
      }
      try await group.waitForAll()
    }
  }
}

enum LibcurlRequests {
  static func run(
    _ job: Job, _ meter: Meter,
    _ send: (OpaquePointer, Int64, UnsafeMutablePointer<CChar>) -> Int32
  ) async throws {
    var peer: OpaquePointer?
    _ = try withPeerError { error -> Int32 in
      peer = job.url.withCString { url in
        withOptionalCString(job.authority) { authority in
          Parking.url(job).withCString { parkedURL in
            var options = afb_requests_options(
              url: url, ca_file: authority, in_flight: job.concurrency, http2: job.usesHTTP2 ? 1 : 0,
              parked_url: parkedURL, parked: job.parked)
            return afb_requests_open(&options, error)
          }
        }
      }
      return peer == nil ? -1 : 0
    }
    guard let peer else { return }
    defer { afb_requests_close(peer) }
    if job.parked > 0 {
      try await Parking.waitUntilFull(job) { _ = try withPeerError { afb_requests_run(peer, 64, $0) } }
    }
    try await RequestPace.measure(job, meter) { count in
      _ = try withPeerError { send(peer, count, $0) }
    }
  }
}
