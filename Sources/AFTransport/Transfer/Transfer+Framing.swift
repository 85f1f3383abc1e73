import AFSupport
import CCurl

extension Transfer {
  /// Reads how the end of a complete head's body is told. False: it cannot be told, and the hop ends here.
  func readFraming(of head: ResponseHead) -> Bool {
    do {
      let framing = try MessageFraming(head, method: request.method)
      self.framing = framing
      status = head.statusCode
      announcedLength = framing.announcedLength
      chunks = framing.length == .chunked ? ChunkedBody() : nil
      if framing.isDoubtful { forbidReuse() }
      // libcurl drops what came together with a response that has no body, and says so in its log alone (pitfall 50).
      if framing.announcedLength == 0, head.bytes.starts(with: "HTTP/1".utf8) { listenToLog(for: .excess) }
      return true
    } catch {
      _ = machine.fail(error.failure)
      return false
    }
  }

  /// Undoes the chunked coding of what has come, and hands on the body in it in one piece.
  func dechunk(_ bytes: UnsafeRawBufferPointer) {
    // Its bytes belong to libcurl, and stay where they are during the call.
    var first: UnsafeRawBufferPointer?
    joinedChunks.removeAll(keepingCapacity: true)
    do {
      try chunks?.read(bytes, longestTrailer: configuration.maximumHeadSize) { run in
        if let only = first {
          if joinedChunks.isEmpty { joinedChunks.append(contentsOf: only) }
          joinedChunks.append(contentsOf: run)
        } else {
          first = run
        }
      } trailer: { line in
        machine.headerLine(line) != .abort
      }
    } catch {
      _ = machine.fail(error.failure)
    }
    if !joinedChunks.isEmpty {
      joinedChunks.withUnsafeBytes { decode($0) }
    } else if let first {
      decode(first)
    }
    guard let chunks, chunks.isComplete else { return }
    if chunks.excess > 0 { forbidReuse() }
    if !isResponseComplete { isResponseComplete = true }
  }

  /// What comes after the response is not the next one's (RFC 9112 §9.2): the connection goes with this transfer.
  func forbidReuse() {
    easy.set(CURLOPT_FORBID_REUSE, 1)
    // The next request on the handle may have a connection that is kept.
    easy.profile = nil
  }
}
