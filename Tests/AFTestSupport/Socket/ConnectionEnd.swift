import Glibc

/// Why a connection's script stopped. Thrown by everything that touches the connection, so that a script needs no cleaning up:
/// it is not a failure of the test server unless it is ``misuse(_:)``.
package enum ConnectionEnd: Error, Sendable, CustomStringConvertible {
  /// The script itself ended the connection: closed, reset, or told to stop.
  case finished
  /// The peer closed its side.
  case peerClosed
  /// The peer reset the connection, or it broke.
  case broken(errno: Int32)
  /// The TLS layer gave up.
  case tls(String)
  /// What arrived is not what the protocol allows.
  case misuse(String)

  package var description: String {
    switch self {
    case .finished: "ended by its script"
    case .peerClosed: "closed by the peer"
    case .broken(let code): "broken: \(String(cString: strerror(code)))"
    case .tls(let text): "TLS: \(text)"
    case .misuse(let text): text
    }
  }
}
