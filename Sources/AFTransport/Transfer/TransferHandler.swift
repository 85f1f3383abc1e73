import AFSupport
package import Foundation

/// Who a transfer reports to.
///
/// Everything is called on the engine's thread, in order; it must return at once and run no user code. After
/// `didComplete` nothing follows.
package protocol TransferHandler: AnyObject, Sendable {
  /// The final response's head has come (1xx are left out). Says where the body goes.
  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute

  /// Body bytes left for the server: `total` of this hop so far. At most every 50 ms, and once at the end.
  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?)

  /// Body bytes arrived: `total` after decoding; `expected` likewise, nil if unknown. At most every 50 ms, and at the end.
  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?)

  /// The hop is over. Exactly once. What is given back is called as soon as the engine's other work of the moment is done:
  /// whatever wakes other threads belongs there, so that transfers that end together wake them together.
  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel?
}

/// What remains to be done after a transfer's end; see ``TransferHandler/transfer(_:didComplete:)``.
package typealias TransferSequel = @Sendable () -> Void

/// Where a response's body goes.
package enum ResponseRoute: Sendable {
  /// Gathered by the engine in one piece and handed over at the end without a copy.
  case memory
  /// Pushed, with back-pressure.
  case sink(any BodySink)
  /// Read and dropped, so that the connection can be used again; the rest of a long or slow one is left. The hop ends well.
  case discard
  /// Not known yet: nothing is read until ``TransferHandle/route(_:)`` says.
  case undecided
  /// Not wanted: the hop ends with this error.
  case cancel(any Error)
}

/// Takes body bytes on the engine's thread.
package protocol BodySink: AnyObject, Sendable {
  /// Takes all the bytes. False means: enough for now, send no more until ``TransferHandle/resumeReceiving()``.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// How a hop ended.
package struct TransferOutcome: Sendable {
  /// The whole body if its route was `.memory`; also what came before a failure.
  package var body: Data?
  package var failure: TransferFailure?
  package var metrics: TransferMetrics?
  package var bytesSent: Int64 = 0
  package var bytesReceived: Int64 = 0
  /// Fields after a chunked body, raw.
  package var trailers: ResponseHead?

  package init(failure: TransferFailure? = nil) {
    self.failure = failure
  }
}

/// Why a hop failed, in terms that do not depend on libcurl; AFCore makes a `URLError` of it.
package struct TransferFailure: Error, Sendable {
  package enum Kind: Sendable {
    /// libcurl's verdict, see ``CurlErrorMapping``.
    case transport
    case cancelled
    case idleTimeout
    case totalTimeout
    /// The body's reader failed; `underlying` says how.
    case body
    /// The body had to be sent again and its reader cannot.
    case bodyNotReplayable
    /// The trust evaluator refused the peer; `underlying` says why.
    case trustRefused
    /// The trust evaluator has to ask first; `peer` is what it was shown.
    case trustUndecided
    /// The peer wants a client certificate, and the identifier has to ask for one first; `peer` says what it would take.
    case identityUndecided
    /// The client certificate cannot be used; `underlying` says why.
    case identityRefused
    /// The peer ended TLS with ``alert``.
    case tlsAlert
    /// The proxy wants credentials, or others, before it makes a tunnel; `proxyHead` is its answer. Nothing has been sent.
    case proxyAuthentication
    /// The proxy made no tunnel for another reason; `proxyHead` is its answer, if it gave one. Nothing has been sent.
    case proxyRefused
    /// A reused connection died, and a request that may not be repeated was on it.
    case connectionLost
    /// The request as given cannot be sent (URL, method or header field); `message` names what is wrong.
    case badRequest
    /// The system gives no thread for the engine.
    case noThread
    /// The server broke HTTP's framing: where its response ends, or what it means, cannot be told.
    case badFraming
    /// The response's head is larger than the engine accepts.
    case oversizedHead
    /// The body's content coding is damaged.
    case badContent
    /// The rest of a body that nobody wants was left. Never the outcome: the hop ended well.
    case abandoned
    /// The system's libcurl cannot do what the package needs; `message` names its version and what it lacks.
    case unsuitableLibrary
    /// The body is larger than ``BodyLimits`` allow.
    case oversizedBody
    /// There is no memory for the body.
    case noMemory
    /// The handler or its sink ended the hop with `underlying`.
    case refusedByHandler
  }

  package var kind: Kind
  /// libcurl's code, 0 if the failure is our own.
  package var curlCode: Int32 = 0
  /// A sentence for people, without secrets.
  package var message: String
  package var underlying: (any Error)?
  package var peer: PeerTrust?
  package var proxyHead: ResponseHead?
  package var alert: TLSAlert?
  /// The value of errno for a failed connect, or 0.
  package var osError: Int32 = 0
  /// Whether a byte of this hop's response was seen.
  package var responseStarted = false

  package init(kind: Kind, message: String, underlying: (any Error)? = nil) {
    self.kind = kind
    self.message = message
    self.underlying = underlying
  }
}

extension TransferFailure: CustomStringConvertible {
  /// ``message`` as it may be shown. What the proxy or the peer sent is in the properties alone.
  package var description: String { message.printable() }
}

/// What a TLS peer showed, for the trust evaluator.
package struct PeerTrust: Sendable {
  package var host: String
  package var port: Int
  /// DER certificates as the peer sent them, leaf first.
  package var chain: [Data]
  package var stapledOCSPResponse: Data?
  package var isProxy: Bool
  /// Whose certificates the peer takes from a client that it asks for one: distinguished names, DER. Empty: it does not say.
  package var acceptableIssuers: [Data] = []
  /// ``EngineConfiguration/context`` of the engine's pool in which the peer was met.
  package var context: (any AnyObject & Sendable)?

  package init(host: String, port: Int, chain: [Data], stapledOCSPResponse: Data? = nil, isProxy: Bool = false) {
    self.host = host
    self.port = port
    self.chain = chain
    self.stapledOCSPResponse = stapledOCSPResponse
    self.isProxy = isProxy
  }
}

package enum TrustVerdict: Sendable {
  case accept
  case refuse(any Error)
  /// The answer has to be asked for elsewhere; the handshake fails with ``TransferFailure/Kind/trustUndecided``, and the
  /// hop may be started again when the answer is known.
  case ask
}

/// Decides about a TLS peer. On the engine's thread, in the midst of a handshake: prompt, and no user code.
package typealias TrustEvaluator = @Sendable (PeerTrust) -> TrustVerdict

package enum IdentityVerdict: Sendable {
  /// The handshake goes on with what has been set on the connection, and without a certificate if nothing has.
  case proceed
  case refuse(any Error)
  /// The answer has to be asked for elsewhere; the handshake fails with ``TransferFailure/Kind/identityUndecided``, and the
  /// hop may be started again when the answer is known.
  case ask
}

/// Answers a TLS peer that asks for a client certificate, by setting one on the `SSL *` or not. On the engine's thread, in the
/// midst of a handshake: prompt, and no user code. Only peers that the evaluator has accepted come here.
package typealias ClientIdentifier = @Sendable (_ ssl: OpaquePointer, _ peer: PeerTrust) -> IdentityVerdict
