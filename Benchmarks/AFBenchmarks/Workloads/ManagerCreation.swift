import AFNetworking
import Foundation
import FoundationNetworking

extension Workload {
  /// What it costs to have a session before anything is asked of it.
  static let manager = Workload(
    name: "manager",
    summary: "make a session and let it go, without a request",
    yardstick: "URLSession",
    clients: [
      Client(name: "URLSession", summary: "FoundationNetworking's URLSession, made and invalidated") { job, meter in
        try await RequestPace.measure(job, meter) { count in
          for _ in 0..<count { URLSession(configuration: .ephemeral).invalidateAndCancel() }
        }
      },
      Client(name: "AFNetworking", summary: "AFHTTPSessionManager and its session, made and dropped") { job, meter in
        let url = URL(string: "https://api.example.org/v1")
        try await RequestPace.measure(job, meter) { count in
          for _ in 0..<count {
            let manager = AFHTTPSessionManager(baseURL: url, sessionConfiguration: .ephemeral)
            _ = manager.session
          }
        }
      },
    ],
    cases: { options in
      guard !options.usesTLS else { throw UsageError("manager knows no --tls: it has no network") }
      var job = Job()
      job.seconds = options.runSeconds
      return [Case(name: "manager-make", job: job, unit: .requests)]
    })
}
