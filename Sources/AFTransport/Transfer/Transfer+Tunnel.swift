import AFSupport
import CCurl

extension Transfer {
  /// The callback for header lines does not tell a proxy's answer to CONNECT from the server's, so that it does not get those
  /// (pitfall 24). libcurl's log has them apart: it is listened to until the tunnel stands.
  func listenToTunnel() {
    guard authority.isSecure, request.options.proxy != .direct else { return }
    listensToTunnel = true
    easy.set(CURLOPT_DEBUGDATA, pointer: easy.userPointer)
    easy.setDebug { _, type, bytes, count, user in
      guard type == CURLINFO_HEADER_IN, let transfer = EasyHandle.transfer(user) else { return 0 }
      transfer.tunnelAnswered(UnsafeRawBufferPointer(start: bytes, count: count))
      return 0
    }
    easy.set(CURLOPT_VERBOSE, 1)
  }

  func leaveTunnel() {
    if listensToTunnel { easy.set(CURLOPT_VERBOSE, 0) }
  }

  private func tunnelAnswered(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "HTTP/".utf8) { tunnelAnswer.removeAll() }
    guard tunnelAnswer.count + line.count <= configuration.maximumHeadSize, line.first != UInt8(ascii: "\r") else {
      return
    }
    tunnelAnswer.append(contentsOf: line)
  }
}
