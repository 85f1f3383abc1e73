/// How the end of a response's body is told (RFC 9112 §6.3). A pure reading of the head.
///
/// libcurl takes the last of several lengths, the number at the beginning of a list, and every transfer coding that it knows. Here
/// what could be read in two ways is a ``FramingProblem``: two readings are how the end of one response comes to be the next.
struct MessageFraming: Equatable {
  enum Length: Equatable {
    /// There is no body, whatever the fields say.
    case none
    case bytes(Int64)
    case chunked
    /// All that comes until the connection, or the HTTP/2 stream, ends.
    case untilEnd
  }

  let length: Length
  /// Whether nothing may follow on the connection: the head can be read, but should not have been written.
  var isDoubtful = false
  /// Whether a field that tells the length is folded over lines, which libcurl does not undo: it waits for another end.
  var isFolded = false

  /// The length as announced, before decoding.
  var announcedLength: Int64? {
    switch length {
    case .none: 0
    case .bytes(let count): count
    case .chunked, .untilEnd: nil
    }
  }
}

extension MessageFraming {
  /// Reads the head of the final response to a request of `method`.
  /// - Throws: ``FramingProblem`` where the end of the body cannot be told.
  init(_ head: ResponseHead, method: String) throws(FramingProblem) {
    let version = head.bytes.prefix { $0 != UInt8(ascii: " ") }
    let isHTTP1 = version.count == 8 && version.starts(with: "HTTP/1.".utf8)
    // §2.3: libcurl writes HTTP/2 and newer without a minor version; what has one is a server's own line, which newer libcurls pass.
    guard isHTTP1 || version.elementsEqual("HTTP/2".utf8) || version.elementsEqual("HTTP/3".utf8) else {
      throw FramingProblem("The server speaks a version of HTTP that was not asked for")
    }
    // RFC 9112 §6.3, 1: whatever the fields say.
    if method == "HEAD" || head.statusCode == 204 || head.statusCode == 304 {
      self.init(length: .none)
      return
    }
    var fields = FramingFields()
    head.received.withUnsafeBufferPointer { fields.read($0) }
    if let problem = fields.nameProblem { throw problem }
    guard fields.hasTransferEncoding, isHTTP1 else {
      // 4 to 6, and 8.
      if let problem = fields.lengthProblem { throw problem }
      self.init(length: fields.length.map { .bytes($0) } ?? .untilEnd, isFolded: fields.isFolded)
      return
    }
    // 3 and 4: a transfer coding overrides Content-Length. Who sends both, or codes for HTTP/1.0 (§6.1), is not to be trusted with
    // what follows.
    self.init(
      length: try Self.length(codedWith: fields.codings),
      isDoubtful: fields.hasContentLength || !version.elementsEqual("HTTP/1.1".utf8),
      isFolded: fields.isFolded)
  }

  private static func length(codedWith codings: [String]) throws(FramingProblem) -> Length {
    // "identity" is no coding since RFC 7230; old servers say it all the same.
    let real = codings.filter { $0 != "identity" }
    if real.isEmpty, !codings.isEmpty { return .untilEnd }
    guard real == ["chunked"], codings.last == "chunked" else {
      let named = codings.map { String($0.prefix(40)) }.prefix(4).joined(separator: ", ")
      throw FramingProblem("The response has a transfer coding that was not asked for: \"\(named)\"")
    }
    return .chunked
  }
}
