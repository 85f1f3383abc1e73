package import AFSupport

/// Exactly what arrived of one request.
package struct RecordedRequest: Sendable {
  package let head: RequestHead
  /// The index of the connection on which it came, and its place among that connection's requests.
  package let connection: Int
  package let indexOnConnection: Int
  package let headReceivedAt: MonotonicTime
  /// When the last byte of the body came, once it has.
  package var completedAt: MonotonicTime?
  /// Bytes of body so far, chunk framing taken off.
  package var bodyCount: Int64 = 0
  /// The body, as far as the server's `keptBodySize` reaches.
  package var body: [UInt8] = []
  /// The digest of the whole body, in lower case hex; nil before it is complete, or when digests are switched off.
  package var bodySHA256: String?
  /// The trailer fields of a chunked body, as they came.
  package var trailers: [UInt8] = []

  package var isComplete: Bool { completedAt != nil }
  package var method: String { head.method }
  package var target: String { head.target }
  package var path: String { head.path }
  package var query: String? { head.query }
  package var headers: [(name: String, value: String)] { head.headers }
  package func value(_ name: String) -> String? { head.value(name) }
  package func values(_ name: String) -> [String] { head.values(name) }
  package var bodyText: String { String(decoding: body, as: UTF8.self) }
}
