import AFSupport

/// A SOCKS5 proxy (RFC 1928, with RFC 1929 passwords) that records what it is asked.
package final class TestSOCKSProxy: Sendable {
  /// One CONNECT.
  package struct Request: Sendable, Hashable {
    package var host: String
    package var port: UInt16
    /// Whether the client left the look-up of the name to the proxy.
    package var isName: Bool
    package var user: String?
    package var password: String?

    package init(host: String, port: UInt16, isName: Bool, user: String? = nil, password: String? = nil) {
      self.host = host
      self.port = port
      self.isName = isName
      self.user = user
      self.password = password
    }
  }

  package struct Options: Sendable {
    package var listener = ListenerOptions()
    /// Only who knows these gets in; nil lets everyone in.
    package var credentials: (user: String, password: String)?
    package var upstream: Upstream = loopbackUpstream

    package init() {}
  }

  private let raw: RawServer
  private let log = Recorder<Request>()

  package init(_ options: Options = Options(), file: String = #fileID, line: Int = #line) throws {
    raw = try RawServer(options.listener, file: file, line: line) { [log] connection in
      try Self.serve(connection, options, log)
    }
  }

  package var port: UInt16 { raw.port }
  package var requests: [Request] { log.values }
  package func stop() throws { try raw.stop() }

  private static func serve(_ client: TestConnection, _ options: Options, _ log: Recorder<Request>) throws {
    let greeting = try client.read(exactly: 2)
    guard greeting[0] == 5 else { throw ConnectionEnd.misuse("SOCKS version \(greeting[0])") }
    let methods = try client.read(exactly: Int(greeting[1]))
    var request = Request(host: "", port: 0, isName: false)
    if let (user, password) = options.credentials {
      guard methods.contains(2) else {
        try client.send([5, 0xFF])
        try client.close()
      }
      try client.send([5, 2])
      _ = try client.read(exactly: 1)
      request.user = try readString(client)
      request.password = try readString(client)
      let isRight = request.user == user && request.password == password
      try client.send([1, isRight ? 0 : 1])
      if !isRight { try client.close() }
    } else {
      try client.send([5, 0])
    }

    let head = try client.read(exactly: 4)
    guard head[1] == 1 else { throw ConnectionEnd.misuse("SOCKS command \(head[1])") }
    switch head[3] {
    case 1: request.host = try client.read(exactly: 4).map(String.init).joined(separator: ".")
    case 3: (request.host, request.isName) = (try readString(client), true)
    case 4: request.host = address(try client.read(exactly: 16))
    default: throw ConnectionEnd.misuse("SOCKS address type \(head[3])")
    }
    let port = try client.read(exactly: 2)
    request.port = UInt16(port[0]) << 8 | UInt16(port[1])
    log.record(request)

    let place = options.upstream(request.host, request.port)
    let target = try? place.map { try TestConnection.connect(to: $0.host, port: $0.port) }
    let reply: UInt8 = place == nil ? 4 : target == nil ? 5 : 0
    try client.send([5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
    guard let target else { try client.close() }
    try client.relay(to: target)
  }

  private static func readString(_ client: TestConnection) throws -> String {
    let count = try client.read(exactly: 1)[0]
    return String(decoding: try client.read(exactly: Int(count)), as: UTF8.self)
  }

  private static func address(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: 16, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
  }
}
