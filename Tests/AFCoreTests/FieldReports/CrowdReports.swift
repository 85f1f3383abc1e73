import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Many requests at once, over both protocols.
@Suite struct CrowdReports {
  /// A server that answers everything with "x", and a manager for it.
  private struct Scene {
    let url: URL
    let manager: AFURLSessionManager
    let stop: () throws -> Void

    init(_ version: FaultProtocol) throws {
      let configuration = quietConfiguration()
      configuration.timeoutIntervalForRequest = 30
      manager = AFURLSessionManager(sessionConfiguration: configuration)
      manager.completionQueue = DispatchQueue(label: "completions")
      manager.responseSerializer = AFHTTPResponseSerializer()
      switch version {
      case .http1:
        var options = TestServer.Options()
        options.records = false
        let server = try TestServer(options) { _ in .text("x") }
        (url, stop) = (server.url("a"), { try server.stop() })
      case .http2:
        let authority = try TestAuthority.make()
        manager.securityPolicy = try .trusting(authority.certificate)
        let server = try TestHTTP2Server(identity: try authority.issue(names: ["localhost"])) { _ in .ok("x") }
        (url, stop) = (server.url("a", host: "localhost"), { try server.stop() })
      }
    }
  }

  @Test(.timeLimit(.minutes(3)), arguments: [FaultProtocol.http1, .http2])
  func `10,000 queued requests complete without a timeout firing early`(version: FaultProtocol) async throws {
    let scene = try Scene(version)
    let failures = Recorder<String>()
    let done = Recorder<Bool>()
    for _ in 0..<10_000 {
      scene.manager.dataTask(with: URLRequest(url: scene.url)) { _, _, error in
        if let error { failures.record("\(error)") }
        done.record(true)
      }.resume()
    }
    try await done.wait(for: 10_000, within: 150)
    #expect(failures.values.isEmpty)
    #expect(scene.manager.tasks.isEmpty)
    #expect(done.count == 10_000)
    try scene.stop()
  }

  @Test(.timeLimit(.minutes(2)), arguments: [FaultProtocol.http1, .http2])
  func `1,000 tasks of 8 threads complete once each under random control and invalidation`(
    version: FaultProtocol
  ) async throws {
    let scene = try Scene(version)
    let (manager, url) = (scene.manager, scene.url)
    let completed = Recorder<Int>()
    let threads = (0..<8).map { worker in
      Thread {
        for round in stride(from: worker, to: 1000, by: 8) {
          let task = manager.dataTask(with: URLRequest(url: url)) { _, _, _ in completed.record(round) }
          switch Int.random(in: 0..<6) {
          case 0: task.cancel()
          case 1:
            task.resume()
            task.suspend()
          case 2: manager.invalidateSessionCancelingTasks(Bool.random(), resetSession: true)
          default: task.resume()
          }
          task.resume()
          if Bool.random() { task.suspend() }
          if Int.random(in: 0..<4) == 0 { task.cancel() }
          task.resume()
        }
      }
    }
    for thread in threads { thread.start() }
    try await completed.wait(for: 1000, within: 60)
    try await eventually(within: 20) { manager.tasks.isEmpty }
    #expect(completed.values.sorted() == Array(0..<1000))
    try scene.stop()
  }
}
