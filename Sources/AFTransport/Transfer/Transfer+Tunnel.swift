import AFSupport
import CCurl

extension Transfer {
  /// The callback for header lines does not tell a proxy's answer to CONNECT from the server's, so that it does not get those
  /// (pitfall 24). libcurl's log has them apart: it is listened to until the tunnel stands.
  func listenToTunnel() {
    guard authority.isSecure, request.options.proxy != .direct else { return }
    listenToLog(for: .tunnel)
  }

  func leaveTunnel() {
    stopListening(for: .tunnel)
  }

  /// Tells a proxy that made no tunnel from a server that was lost. Any answer to CONNECT but 2xx is such a refusal (RFC 9110 §9.3.6),
  /// and so is an end of the connection, or something that is no answer.
  func noteRefusal(in failure: inout TransferFailure) {
    let status = easy.long(CURLINFO_HTTP_CONNECTCODE)
    let hasAnswered = status != 0 && !(200..<300).contains(status)
    let isOfTunnel = failure.message.hasPrefix("CONNECT tunnel failed") || failure.message.hasPrefix("Proxy CONNECT")
    guard hasAnswered || isOfTunnel else { return }
    if !tunnelAnswer.isEmpty { failure.proxyHead = ResponseHead(bytes: tunnelAnswer) }
    failure.kind = status == 407 && failure.proxyHead != nil ? .proxyAuthentication : .proxyRefused
  }

  func tunnelAnswered(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "HTTP/".utf8) { tunnelAnswer.removeAll() }
    guard tunnelAnswer.count + line.count <= configuration.maximumHeadSize, line.first != UInt8(ascii: "\r") else {
      return
    }
    tunnelAnswer.append(contentsOf: line)
  }
}
