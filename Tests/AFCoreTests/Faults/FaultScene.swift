import AFSupport
import AFTestSupport
import Foundation

/// The server side of one cell: faulty until it is healed.
final class FaultScene: Sendable {
  let url: URL
  /// Where the fault is met, if elsewhere: a port that is closed cannot be opened for the request after it.
  let faultyURL: URL
  private let isHealed: Recorder<Bool>
  private let stopAll: @Sendable () throws -> Void

  static let goodBody = "as good as new"

  private init(
    url: URL, faultyURL: URL? = nil, isHealed: Recorder<Bool>, stopAll: @escaping @Sendable () throws -> Void
  ) {
    self.url = url
    self.faultyURL = faultyURL ?? url
    self.isHealed = isHealed
    self.stopAll = stopAll
  }

  /// From here on everything goes well.
  func heal() { isHealed.record(true) }

  func stop() throws { try stopAll() }

  static func make(_ cell: FaultCell, _ identity: TestIdentity, host: String = "localhost") throws -> FaultScene {
    let isHealed = Recorder<Bool>()
    let isFaulty: @Sendable () -> Bool = { isHealed.count == 0 }
    let (port, stopServer) =
      cell.version == .http1
      ? try http1(cell, identity, isFaulty: isFaulty) : try http2(cell, identity, isFaulty: isFaulty)
    guard let front = try front(cell, server: port, isFaulty: isFaulty) else {
      return FaultScene(url: url(host, port), isHealed: isHealed, stopAll: stopServer)
    }
    let closedPort: UInt16 = 1
    let faulty = cell.moment == .connect && cell.fault == .refuse ? closedPort : front.port
    return FaultScene(url: url(host, front.port), faultyURL: url(host, faulty), isHealed: isHealed) {
      try front.stop()
      try stopServer()
    }
  }

  private static func url(_ host: String, _ port: UInt16) -> URL {
    guard let url = URL(string: "https://\(host):\(port)/") else { preconditionFailure("no URL for \(host)") }
    return url
  }

  // MARK: Before a request

  /// What stands in front of the server and spoils connections while they are made; nil for a fault that comes later.
  private static func front(_ cell: FaultCell, server: UInt16, isFaulty: @escaping @Sendable () -> Bool) throws
    -> RawServer?
  {
    guard cell.moment == .connect || cell.moment == .tls else { return nil }
    return try RawServer { connection in
      guard isFaulty() else { return try relay(connection, to: server, isSlow: false) }
      if cell.fault == .drip { return try relay(connection, to: server, isSlow: true) }
      // The client's first record has come in full, or a close would be a reset.
      if cell.moment == .tls { _ = try connection.read() }
      let steps: [TestStep] =
        switch cell.fault {
        // A fatal alert: handshake_failure.
        case .refuse: [.send([21, 3, 3, 0, 2, 2, 40]), .effect(.close)]
        case .garbage: [.send(FaultScript.garbage), .effect(.close)]
        default: [.effect(cell.fault.effect)]
        }
      try connection.perform(steps)
    }
  }

  private static func relay(_ connection: TestConnection, to port: UInt16, isSlow: Bool) throws {
    let other = try TestConnection.connect(port: port)
    if isSlow { other.readPace = (256, 0.001) }
    try connection.relay(to: other)
  }

  /// The server's own faults before it has read a request.
  private static func options(_ cell: FaultCell, _ identity: TestIdentity, isFaulty: @escaping @Sendable () -> Bool)
    -> ListenerOptions
  {
    var options = ListenerOptions(tls: TestTLS(identity))
    switch (cell.moment, cell.fault) {
    case (.requestHead, .drip): options.readPace = (100, 0.001)
    case (.requestBody, .drip): options.readPace = (2048, 0.001)
    case (.requestHead, .reset), (.requestHead, .close), (.requestHead, .stall):
      options.onHandshake = { _ in isFaulty() ? cell.fault.effect : nil }
    default: break
    }
    return options
  }

  // MARK: The servers

  private static func http1(_ cell: FaultCell, _ identity: TestIdentity, isFaulty: @escaping @Sendable () -> Bool)
    throws -> (UInt16, @Sendable () throws -> Void)
  {
    var options = TestServer.Options()
    options.listener = Self.options(cell, identity, isFaulty: isFaulty)
    options.reportsMalformedRequests = false
    let server = try TestServer(options) { request in
      guard isFaulty() else { return .text(goodBody) }
      switch cell.moment {
      case .requestHead where cell.fault == .garbage: return TestResponse.raw(FaultScript.garbage).ignoringBody()
      case .requestBody:
        if cell.fault == .garbage { return TestResponse.raw(FaultScript.garbage).ignoringBody() }
        return TestResponse.text("sent").with(cell.fault.effect, at: .requestBody(10_000))
      case .responseHead, .responseBody, .trailers:
        _ = try request.body()
        try request.connection.perform(FaultScript().steps(cell.moment, cell.fault))
        return .raw([], keepsAlive: true)
      default:
        _ = try request.body()
        return .text("reached")
      }
    }
    return (server.port, { try server.stop() })
  }

  private static func http2(_ cell: FaultCell, _ identity: TestIdentity, isFaulty: @escaping @Sendable () -> Bool)
    throws -> (UInt16, @Sendable () throws -> Void)
  {
    let server = try TestHTTP2Server(
      identity: identity, options: options(cell, identity, isFaulty: isFaulty),
      opening: { _ in
        guard cell.moment == .requestHead, cell.fault == .garbage, isFaulty() else { return nil }
        return [.send(FaultScript.garbage), .effect(.close)]
      },
      answer: { stream in
        guard isFaulty(), cell.fault != .drip || cell.moment != .requestHead && cell.moment != .requestBody else {
          return .ok(goodBody)
        }
        let isSpoiled = cell.moment == .responseBody && cell.fault == .garbage
        let steps = FaultScript(stream: stream.identifier, tellsLength: isSpoiled)
          .steps(cell.moment, cell.fault, stream: stream.identifier)
        switch cell.moment {
        case .requestHead: return .steps(steps, after: .head)
        case .requestBody: return .steps(steps, after: .body(10_000))
        case .responseHead, .responseBody, .trailers: return .steps(steps, after: .end)
        default: return .ok("reached")
        }
      })
    return (server.port, { try server.stop() })
  }
}
