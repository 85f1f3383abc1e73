package import Foundation

/// How a test server speaks TLS.
package struct TestTLS: Sendable {
  /// Key and chain; the leaf first.
  package var identity: TestIdentity
  /// The chain to send in place of the identity's own, DER, leaf first: for servers that send too much, too little or the wrong order.
  package var chain: [Data]?
  package var minimumVersion = Version.tls12
  package var maximumVersion = Version.tls13
  /// Protocols in order of preference; empty leaves ALPN out.
  package var protocols: [String] = []
  package var clientCertificate = ClientCertificate.none
  /// A DER OCSP response to staple when the client asks for one.
  package var stapledResponse: Data?
  /// Whether the server lets clients resume sessions. On, as real servers do.
  package var resumesSessions = true

  package init(_ identity: TestIdentity) {
    self.identity = identity
  }

  package enum Version: Int32, Sendable {
    case tls10 = 0x0301
    case tls11 = 0x0302
    case tls12 = 0x0303
    case tls13 = 0x0304
  }

  package enum ClientCertificate: Sendable {
    case none
    /// Asks, and goes on whatever comes; the record holds it.
    case requested
    /// Asks, and ends the handshake unless one comes that chains up to these certificates (DER).
    case required(authorities: [Data])
  }
}
