import Foundation
import FoundationNetworking

/// FoundationNetworking's URLSession, as its users set it up when they care for speed: no cache, no cookies.
enum URLSessionClient {
  static func makeSession(connections: Int) -> URLSession {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = max(connections, 6)
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.timeoutIntervalForRequest = 600
    return URLSession(configuration: configuration)
  }

  /// URLSession trusts the system's authorities alone and cannot be told of another.
  static func whyNot(_ benchmark: Case) -> String? {
    benchmark.server == .plain || benchmark.server == .none ? nil : ChildProcess.Setting.whyNoAuthorities
  }

  static func url(_ job: Job) throws -> URL {
    guard let url = URL(string: job.url) else { throw BenchmarkError("\(job.url) is no URL") }
    return url
  }

  static func check(_ response: URLResponse?) throws {
    guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
      throw BenchmarkError("the server did not answer 200 but \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    }
  }
}

enum URLSessionRequests {
  static let client = Client(
    name: "URLSession", summary: "FoundationNetworking: async data(for:)", needsSystemTrust: true,
    whyNot: URLSessionClient.whyNot
  ) { job, meter in
    let session = URLSessionClient.makeSession(connections: job.concurrency)
    defer { session.invalidateAndCancel() }
    let request = URLRequest(url: try URLSessionClient.url(job))
    try await RequestPace.measure(job, meter) { count in
      try await RequestPace.sendConcurrently(count, job) {
        let (_, response) = try await session.data(for: request)
        try URLSessionClient.check(response)
      }
    }
  }
}
