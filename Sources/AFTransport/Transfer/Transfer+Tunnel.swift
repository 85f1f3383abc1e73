import AFSupport

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

  func tunnelAnswered(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "HTTP/".utf8) { tunnelAnswer.removeAll() }
    guard tunnelAnswer.count + line.count <= configuration.maximumHeadSize, line.first != UInt8(ascii: "\r") else {
      return
    }
    tunnelAnswer.append(contentsOf: line)
  }
}
