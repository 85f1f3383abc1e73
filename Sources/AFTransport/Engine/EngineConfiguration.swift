/// What all transfers of an engine have in common.
package struct EngineConfiguration: Sendable {
  /// Connections to one origin while it speaks HTTP/1.1; further transfers wait.
  package var maximumConnectionsPerHost = 6
  /// Parallel streams to one origin that speaks HTTP/2.
  package var maximumStreamsPerHost = 100
  /// Idle connections kept for reuse.
  package var maximumIdleConnections = 64
  /// The largest response head accepted, in bytes.
  package var maximumHeadSize = 256 << 10
  /// Asked on every TLS connection, of servers and of proxies; without one every TLS peer is refused.
  package var evaluateTrust: TrustEvaluator?
  /// Sets what a policy wants on the `SSL_CTX` of a new connection: version floor, ciphers, client certificate.
  package var configureTLS: TLSConfigurator?
  /// Asked when a TLS peer wants a client certificate. Default: none, the one that ``configureTLS`` set is shown, if any.
  package var identifyClient: ClientIdentifier?

  /// What the closures above keep for this configuration's connections; handed back with each ``PeerTrust``.
  package var context: (any AnyObject & Sendable)?

  /// Names the configuration, for ``Engine/start(_:handler:under:)``.
  package var generation: UInt64 = 0

  /// What libcurl can do; looked at before the first transfer.
  var libcurl: @Sendable () -> LibcurlCapabilities = { .current }

  /// Runs a closure on a thread of its own; false if the system gives none.
  var startThread: @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool = EngineThread.start

  package init() {}
}

/// Receives the `SSL_CTX *` of a connection to be, its host and port; an error ends the hop before a byte is sent.
package typealias TLSConfigurator = @Sendable (_ context: OpaquePointer, _ host: String, _ port: Int) -> (any Error)?
