import AFNetworking
import Foundation
import FoundationNetworking

extension Workload {
  /// Small GETs on a session whose jar holds many cookies, none of them for the server.
  static let cookies = Workload(
    name: "cookies",
    summary: "the same small GETs with a jar of 10,000 cookies of other hosts, beside an empty one and none",
    yardstick: "no-jar",
    clients: [
      client("no-jar", "this package: async get(_:), no cookie storage") { _ in nil },
      client("empty-jar", "this package: the same with an empty storage") { _ in try CookieJars.empty() },
      client("full-jar", "this package: the same with a full one") { try CookieJars.full($0.parts) },
    ],
    cases: { options in
      guard !options.usesTLS, !options.httpVersions.contains(.http2) else {
        throw UsageError("cookies is measured over HTTP/1.1 without TLS")
      }
      return (options.concurrency.isEmpty ? [1, 64] : options.concurrency).map { inFlight in
        var job = Job()
        job.url = "/json"
        job.concurrency = inFlight
        job.parts = options.isQuick ? 1000 : 10_000
        job.seconds = options.runSeconds
        return Case(name: "cookies-\(job.parts)-h1-\(inFlight)", job: job, server: .plain, unit: .requests)
      }
    })

  private static func client(
    _ name: String, _ summary: String, _ storage: @escaping @Sendable (Job) throws -> HTTPCookieStorage?
  ) -> Client {
    Client(name: name, summary: summary) { job, meter in
      let manager = try AFNetworkingClient.makeManager(job, cookies: storage(job))
      defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
      try await RequestPace.measure(job, meter) { count in
        try await RequestPace.sendConcurrently(count, job) { _ = try await manager.get("json") }
      }
    }
  }
}

private enum CookieJars {
  static func empty() throws -> HTTPCookieStorage {
    guard let storage = URLSessionConfiguration.ephemeral.httpCookieStorage else {
      throw BenchmarkError("there is no cookie storage")
    }
    return storage
  }

  static func full(_ count: Int) throws -> HTTPCookieStorage {
    let storage = try empty()
    for index in 0..<count {
      let properties: [HTTPCookiePropertyKey: Any] = [
        .name: "session", .value: "0123456789abcdef\(index)", .domain: ".host\(index).example\(index % 97).org",
        .path: "/",
      ]
      if let cookie = HTTPCookie(properties: properties) { storage.setCookie(cookie) }
    }
    return storage
  }
}
