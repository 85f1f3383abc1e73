import CBenchmarkPeers
import Foundation

extension Workload {
  /// Many downloads at once that take long because the server does.
  ///
  /// Each gets 1 KiB every 20 ms. A client whose cost for a byte is the same after a tenth of the time and at the end does nothing that
  /// grows with how long a transfer has lasted.
  static let slow = Workload(
    name: "slow",
    summary: "50 downloads at once from a slow server: for a tenth of the time, and for all of it",
    yardstick: "libcurl",
    clients: [
      Client(name: "libcurl", summary: "C: one thread for all of them") { job, meter in
        DescriptorLimit.raise()
        try LibcurlDownload.run(job, meter, buffer: 64 << 10)
      },
      AFNetworkingClient.download,
      EngineClient.download,
    ],
    cases: { options in
      guard !options.usesTLS, !options.httpVersions.contains(.http2) else {
        throw UsageError("slow is measured over HTTP/1.1 without TLS")
      }
      let seconds = options.seconds ?? (options.isQuick ? 1 : 20)
      return (options.concurrency.isEmpty ? [50] : options.concurrency).flatMap { inFlight in
        [seconds / 10, seconds].map { seconds in
          let pieces = max(1, Int64(seconds * 50))
          var job = Job()
          job.url = "/slow/\(pieces)"
          job.concurrency = inFlight
          job.size = pieces << 10
          return Case(
            name: "slow-\(inFlight)-\(String(format: "%g", seconds))s", job: job, server: .plain, writesFiles: true)
        }
      }
    })
}
