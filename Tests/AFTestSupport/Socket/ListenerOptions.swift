/// Where and how a test server listens.
package struct ListenerOptions: Sendable {
  /// A numeric address: any of 127.0.0.0/8, or `::1`.
  package var host = "127.0.0.1"
  /// 0 lets the kernel choose.
  package var port: UInt16 = 0
  package var tls: TestTLS?
  /// Off: connections are established by the kernel and never served.
  package var accepts = true
  package var backlog: Int32 = 1024
  /// `SO_RCVBUF` of every connection: a small one makes the peer feel a slow reader.
  package var receiveBuffer: Int32?
  /// `SO_SNDBUF` of every connection.
  package var sendBuffer: Int32?
  /// Reads at most so many bytes at a time, with so many seconds of rest before each read.
  package var readPace: (bytes: Int, every: Double)?
  /// What happens to the connection with this index (0 is the first) before anything is read from it; nil for nothing.
  package var onAccept: (@Sendable (_ index: Int) -> TestEffect?)?
  /// What happens to it after its TLS handshake.
  package var onHandshake: (@Sendable (_ index: Int) -> TestEffect?)?

  package init(tls: TestTLS? = nil) {
    self.tls = tls
  }
}
