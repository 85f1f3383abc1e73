import CBenchmarkPeers
import Foundation
import FoundationNetworking

extension Workload {
  /// What a new connection costs when the peer has to be judged by the system's authorities.
  static let tls = Workload(
    name: "tls",
    summary: "GET over a new TLS connection each time, with the system's authorities to judge by",
    yardstick: "libcurl",
    clients: [
      Client(name: "libcurl", summary: "C: without Debian's directory of certificates, TLS sessions resumed") {
        job, meter in
        try await freshConnections(job, meter, keepsDirectory: false)
      },
      Client(
        name: "libcurl-default", summary: "C: libcurl as Debian sets it up: parses every authority again",
        isUsual: false
      ) { job, meter in
        try await freshConnections(job, meter, keepsDirectory: true)
      },
      AFNetworkingClient.freshConnections,
      AFNetworkingClient.pinnedConnections,
      Client(
        name: "URLSession", summary: "FoundationNetworking: async data(for:)", needsSystemTrust: true,
        whyNot: URLSessionClient.whyNot
      ) { job, meter in
        let session = URLSessionClient.makeSession(connections: 1)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: try URLSessionClient.url(job))
        request.setValue("close", forHTTPHeaderField: "Connection")
        try await RequestPace.measure(job, meter, practice: 10) { [request] count in
          for _ in 0..<count {
            let (_, response) = try await session.data(for: request)
            try URLSessionClient.check(response)
          }
        }
      },
    ],
    cases: { options in
      var job = Job()
      job.url = "/json"
      job.seconds = options.runSeconds
      return [Case(name: "tls-h1-1", job: job, server: .tls, unit: .requests)]
    })

  private static func freshConnections(_ job: Job, _ meter: Meter, keepsDirectory: Bool) async throws {
    guard let authorities = job.allAuthorities else { throw BenchmarkError("there are no authorities to judge by") }
    try await RequestPace.measure(job, meter, practice: 10) { count in
      _ = try withPeerError { afb_fresh_connections(job.url, authorities, keepsDirectory ? 1 : 0, count, $0) }
    }
  }
}
