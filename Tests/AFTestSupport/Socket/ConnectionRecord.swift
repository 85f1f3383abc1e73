package import Foundation
package import AFSupport

/// What is known of one connection that a test server accepted.
package struct ConnectionRecord: Sendable {
  /// 0 for the first connection that the server accepted.
  package let index: Int
  package let acceptedAt: MonotonicTime
  package var isOpen = true
  /// Bytes that came out of, and went into, the socket; under TLS these are encrypted bytes.
  package var wireBytesReceived: Int64 = 0
  package var wireBytesSent: Int64 = 0
  /// Bytes of HTTP (or of whatever is spoken inside TLS).
  package var bytesReceived: Int64 = 0
  package var bytesSent: Int64 = 0
  /// Requests whose head has arrived.
  package var requestCount = 0
  /// Why the connection ended, once it has.
  package var end: ConnectionEnd?
  package var tls: TLSRecord?

  /// What the TLS handshake agreed.
  package struct TLSRecord: Sendable {
    /// "TLSv1.3" and so on.
    package var version: String
    package var cipher: String
    /// The name that the client asked for (SNI).
    package var serverName: String?
    /// What ALPN agreed on.
    package var agreedProtocol: String?
    package var isResumed: Bool
    /// The client's certificate, DER, if it sent one.
    package var clientCertificate: Data?
  }
}
