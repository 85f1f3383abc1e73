import CCurl
import COpenSSL

extension Transfer {
  /// Whether libcurl has chosen a kept connection on which something has come that nobody asked for, or that has ended. What comes
  /// without a request is never an answer (RFC 9112 §9.2), and libcurl would take it for this request's (pitfall 51).
  ///
  /// Another transfer's streams are carried by an HTTP/2 connection, and libcurl reads what comes on it before it is used.
  func findsSpoiltConnection(_ ssl: OpaquePointer?, localPort: Int32) -> Bool {
    requestsBegun += 1
    guard requestsBegun > easy.long(CURLINFO_NUM_CONNECTS), request.options.httpVersion != .http2PriorKnowledge else {
      return false
    }
    if let ssl {
      if Self.speaksHTTP2(ssl) { return false }
      if SSL_has_pending(ssl) == 1 { return true }
    }
    return turn.sockets.hasInput(localPort: localPort)
  }

  private static func speaksHTTP2(_ ssl: OpaquePointer) -> Bool {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
  }

  /// Nothing has been sent. The connection is closed by now, and the next one is new.
  func choosesAgain() -> Bool {
    isConnectionSpoilt = false
    guard machine.failure == nil else { return false }
    requestsBegun = 0
    easy.set(CURLOPT_FRESH_CONNECT, 1)
    return true
  }
}
