import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Each moment of a transfer × what can go wrong then × kind of task: one completion, a typed error in time, a session that
/// goes on. The table is printed at the end.
@Suite struct FaultMatrixTests {
  enum Moment: String, CaseIterable, Sendable {
    case connect, tls, requestHead, requestBody, responseHead, responseBody
  }

  enum Fault: String, CaseIterable, Sendable {
    case refuse, reset, close, stall, drip, garbage
  }

  enum Kind: String, CaseIterable, Sendable { case data, upload, download }

  private static func makesSense(_ moment: Moment, _ fault: Fault, _ kind: Kind) -> Bool {
    switch fault {
    case .refuse: moment == .connect
    case .garbage: moment == .responseHead || moment == .tls
    case .drip: moment == .responseHead || moment == .responseBody
    default: moment != .requestBody || kind == .upload
    }
  }

  @Test(.timeLimit(.minutes(3))) func `Every fault at every moment ends a task once, in time, and the session goes on`()
    async throws
  {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let policy = try AFSecurityPolicy.trusting(authority.certificate)
    var rows: [String] = []
    for moment in Moment.allCases {
      for fault in Fault.allCases {
        var cells: [String] = []
        for kind in Kind.allCases where Self.makesSense(moment, fault, kind) {
          let cell = try await Self.run(moment, fault, kind, identity, policy)
          cells.append("\(kind.rawValue) \(cell)")
        }
        guard !cells.isEmpty else { continue }
        rows.append("\(moment.rawValue) × \(fault.rawValue): \(cells.joined(separator: ", "))")
      }
    }
    print("Faults and how tasks end:\n" + rows.joined(separator: "\n"))
  }

  private static func effect(_ fault: Fault) -> TestEffect {
    switch fault {
    case .reset: .reset
    case .close, .garbage, .refuse: .close
    case .stall: .stall
    case .drip: .drip(bytes: 4096, every: 0.001)
    }
  }

  private static func run(
    _ moment: Moment, _ fault: Fault, _ kind: Kind, _ identity: TestIdentity, _ policy: AFSecurityPolicy
  ) async throws -> String {
    var options = TestServer.Options(tls: TestTLS(identity))
    options.reportsMalformedRequests = false
    let isArmed = Recorder<Bool>()
    let effect = effect(fault)
    if moment == .connect || moment == .tls, fault != .refuse {
      // The first connection meets the fault, before or after its handshake.
      let hook: @Sendable (Int) -> TestEffect? = { $0 == 0 ? effect : nil }
      if moment == .connect { options.listener.onAccept = hook } else { options.listener.onHandshake = hook }
    }
    let server = try TestServer(options) { request in
      let body = TestResponse.pattern(50_000)
      guard request.path == "/fault", isArmed.count == 0 else {
        _ = try request.bodySHA256()
        return body
      }
      isArmed.record(true)
      switch moment {
      case .connect, .tls: return body
      case .requestHead: return TestResponse().with(effect, at: .requestBody(0)).with(effect, at: .responseHead(0))
      case .requestBody: return body.with(effect, at: .requestBody(10_000))
      case .responseHead:
        return fault == .garbage
          ? .raw("\u{1}\u{2} no such protocol\r\n\r\n") : body.with(effect, at: .responseHead(10))
      case .responseBody: return body.with(effect, at: .responseBody(20_000))
      }
    }
    let configuration = quietConfiguration()
    configuration.timeoutIntervalForRequest = 0.7
    let manager = AFURLSessionManager(sessionConfiguration: configuration)
    manager.completionQueue = DispatchQueue(label: "completions")
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = policy
    let directory = try TemporaryDirectory()
    let done = Recorder<Completion>()
    var request = URLRequest(url: server.url("fault", host: "localhost"))
    if fault == .refuse { request.url = URL(string: "https://localhost:1/fault") }
    let start = MonotonicTime.now
    switch kind {
    case .data: manager.dataTask(with: request, completionHandler: done.handler).resume()
    case .upload:
      request.httpMethod = "POST"
      manager.uploadTask(
        with: request, from: Data(count: 4 << 20), progress: nil, completionHandler: done.handler
      ).resume()
    case .download:
      manager.downloadTask(
        with: request, progress: nil, destination: { _, _ in directory.file("x") }, completionHandler: done.fileHandler
      ).resume()
    }
    let name = "\(moment.rawValue) × \(fault.rawValue) × \(kind.rawValue)"
    try await eventually(within: 20, "the end of \(name)") { done.count > 0 }
    let completion = try #require(done.first)
    let took = MonotonicTime.now - start
    var result = "ok"
    if let error = completion.error {
      let urlError = try #require(error as? URLError, "\(name): \(error)")
      #expect(urlError.failingURL != nil, "\(name)")
      #expect(try directory.contents == [], "\(name): a file of a failed download")
      result =
        fault == .stall
        ? "\(urlError.code == .timedOut ? "times out" : "\(urlError.code)")" : "\(urlError.code.rawValue)"
      #expect(fault != .stall || urlError.code == .timedOut, "\(name): \(urlError)")
    }
    #expect((completion.error == nil) == (fault == .drip), "\(name): \(String(describing: completion.error))")
    #expect(took < 15, "\(name) took \(took) s")
    var next = URLRequest(url: server.url("next", host: "localhost"))
    next.timeoutInterval = 30
    let after = try await manager.data(for: next)
    #expect(after.data.count == 50_000, "\(name): the session is of no use any more")
    #expect(done.count == 1, "\(name) completed \(done.count) times")
    try server.stop()
    return result
  }
}
