/// Where a test proxy connects to when it is asked for a host and a port; nil refuses.
package typealias Upstream = @Sendable (_ host: String, _ port: UInt16) -> (host: String, port: UInt16)?

/// Every name is 127.0.0.1, so that tests may ask for names that exist nowhere; addresses stay what they are.
package let loopbackUpstream: Upstream = { host, port in
  let isAddress = (try? SocketAddress(host: host, port: port)) != nil
  return (isAddress ? host : "127.0.0.1", port)
}

extension TestConnection {
  /// Carries bytes both ways until either side has closed.
  package func relay(to other: TestConnection) throws {
    defer { other.end(.finished) }
    while true {
      switch try waitForEither(other) {
      case .this:
        let bytes = try read()
        if bytes.isEmpty { return }
        try other.send(bytes)
      case .other:
        let bytes = try other.read()
        if bytes.isEmpty { try close() }
        try send(bytes)
      }
    }
  }
}
