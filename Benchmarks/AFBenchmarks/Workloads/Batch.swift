import AFNetworking
import AFOperations
import Foundation
import FoundationNetworking

extension Workload {
  /// Many small GETs at once, as operations and without.
  static let batch = Workload(
    name: "batch",
    summary: "GET 200 bytes of JSON, up to 10,000 asked for at once and 64 under way, as operations",
    yardstick: "AFNetworking-closure",
    clients: [
      Client(name: "AFNetworking-closure", summary: "this package: get(_:success:failure:) for each") { job, meter in
        let queue = DispatchQueue(label: "AFBenchmarks.completion")
        let manager = try AFNetworkingClient.makeManager(job, completionQueue: queue)
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        try await measure(job, meter) { count in
          let group = DispatchGroup()
          let failures = FailureCount()
          for _ in 0..<count {
            group.enter()
            manager.get(
              "json", success: { _, _ in group.leave() },
              failure: { _, _ in
                failures.add()
                group.leave()
              })
          }
          await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
          try failures.check()
        }
      },
      Client(name: "AFOperations", summary: "this package: enqueueBatchOfHTTPRequestOperations(withRequests:…)") {
        job, meter in
        let client = try makeClient(job)
        let request = URLRequest(url: try URLSessionClient.url(job))
        try await measure(job, meter) { count in
          let operations = await withCheckedContinuation { continuation in
            client.enqueueBatchOfHTTPRequestOperations(
              withRequests: Array(repeating: request, count: count), progressBlock: nil,
              completionBlock: { continuation.resume(returning: $0) })
          }
          if let error = operations.lazy.compactMap(\.error).first { throw error }
        }
      },
      Client(name: "AFOperations-async", summary: "this package: batch(of:), read as it comes", isUsual: false) {
        job, meter in
        let client = try makeClient(job)
        let request = URLRequest(url: try URLSessionClient.url(job))
        try await measure(job, meter) { count in
          for await element in client.batch(of: Array(repeating: request, count: count)) {
            if let error = element.error { throw error }
          }
        }
      },
    ],
    cases: { options in
      var job = Job()
      job.url = "/json"
      job.concurrency = options.concurrency.first ?? 64
      job.seconds = options.runSeconds
      let name = options.usesTLS ? "batch-tls-\(job.concurrency)" : "batch-\(job.concurrency)"
      return [Case(name: name, job: job, server: options.usesTLS ? .tls : .plain, unit: .requests)]
    })

  private static func makeClient(_ job: Job) throws -> AFHTTPClient {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = max(job.concurrency, 6)
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.timeoutIntervalForRequest = 600
    let url = try URLSessionClient.url(job).deletingLastPathComponent()
    let client = AFHTTPClient(baseURL: url, sessionConfiguration: configuration)
    client.operationQueue.maxConcurrentOperationCount = job.concurrency
    return client
  }

  private static func measure(_ job: Job, _ meter: Meter, _ send: (Int) async throws -> Void) async throws {
    try await RequestPace.measure(job, meter) { count in
      var left = Int(count)
      while left > 0 {
        let share = min(left, 10_000)
        try await send(share)
        left -= share
      }
    }
  }
}

/// Counts requests that failed.
private final class FailureCount: @unchecked Sendable {
  // Unchecked because of the lock, which the compiler does not know.
  private let lock = NSLock()
  private var count = 0

  func add() { lock.withLock { count += 1 } }

  func check() throws {
    let failed = lock.withLock { count }
    if failed > 0 { throw BenchmarkError("\(failed) requests failed") }
  }
}
