import CCurl

extension Transfer {
  /// What libcurl says in its log alone. It costs something to be told, so only those who need it listen.
  struct LogTopics: OptionSet {
    let rawValue: UInt8
    /// A proxy's answers to CONNECT.
    static let tunnel = LogTopics(rawValue: 1 << 0)
    /// That a stream was refused unprocessed.
    static let refusal = LogTopics(rawValue: 1 << 1)
    /// That bytes came after a response without a body.
    static let excess = LogTopics(rawValue: 1 << 2)
  }

  func listenToLog(for topic: LogTopics) {
    if logTopics.isEmpty {
      easy.set(CURLOPT_DEBUGDATA, pointer: easy.userPointer)
      easy.setDebug { _, type, bytes, count, user in
        EasyHandle.transfer(user)?.logged(type, UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
      easy.set(CURLOPT_VERBOSE, 1)
      // The next request on the handle does not listen.
      easy.profile = nil
    }
    logTopics.insert(topic)
  }

  func stopListening(for topic: LogTopics) {
    guard logTopics.remove(topic) != nil, logTopics.isEmpty else { return }
    easy.set(CURLOPT_VERBOSE, 0)
  }

  private func logged(_ type: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
    switch type {
    case CURLINFO_HEADER_IN:
      if logTopics.contains(.tunnel) { tunnelAnswered(bytes) }
    case CURLINFO_TEXT:
      if logTopics.contains(.refusal) { heard(bytes) }
      if logTopics.contains(.excess), bytes.starts(with: "Excess found".utf8) { forbidReuse() }
    default: break
    }
  }
}
