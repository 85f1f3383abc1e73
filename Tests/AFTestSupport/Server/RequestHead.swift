/// The request line and the headers of a request, as the bytes say them.
package struct RequestHead: Sendable {
  /// Everything up to and with the empty line.
  package let raw: [UInt8]
  package let method: String
  package let target: String
  package let version: String
  /// From `Content-Length`; nil without one.
  package let contentLength: Int64?
  /// Whether the last transfer coding is `chunked`.
  package let isChunked: Bool
  package let expectsContinue: Bool
  /// Whether the client asked for the connection to be closed.
  package let closes: Bool

  /// - Throws: ``ConnectionEnd/misuse(_:)`` where the bytes break RFC 9112.
  init(_ raw: [UInt8]) throws {
    self.raw = raw
    var contentLength: Int64?
    var isChunked = false
    var expectsContinue = false
    var closes = false
    var requestLine: [Substring] = []
    var failure: String?
    raw.withUnsafeBytes { bytes in
      forEachLine(bytes) { line, isFirst in
        if isFirst {
          requestLine = String(decoding: line, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
          return
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex, line[colon - 1] != 0x20 else {
          failure = "header line \(String(decoding: line, as: UTF8.self).debugDescription)"
          return
        }
        let name = line[..<colon]
        // Only these lengths can be one of the four names of interest.
        guard [6, 10, 14, 17].contains(name.count) else { return }
        let value = { String(decoding: line[(colon + 1)...], as: UTF8.self).trimmed }
        switch name {
        case _ where equals(name, "content-length"):
          guard contentLength == nil, let number = Int64(value()), number >= 0 else {
            failure = "Content-Length \(value().debugDescription), or a second one"
            return
          }
          contentLength = number
        case _ where equals(name, "transfer-encoding"):
          guard value().lowercased() == "chunked", !isChunked else {
            failure = "Transfer-Encoding \(value().debugDescription), or a second one"
            return
          }
          isChunked = true
        case _ where equals(name, "expect"): expectsContinue = value().lowercased() == "100-continue"
        case _ where equals(name, "connection"): closes = value().lowercased() == "close"
        default: break
        }
      }
    }
    if isChunked, contentLength != nil { failure = "both Content-Length and Transfer-Encoding" }
    guard requestLine.count == 3, requestLine[2].hasPrefix("HTTP/1."), !requestLine[0].isEmpty else {
      throw ConnectionEnd.misuse("not an HTTP/1 request line: \(requestLine.joined(separator: " ").debugDescription)")
    }
    if let failure { throw ConnectionEnd.misuse("the client sent a malformed head: \(failure)") }
    method = String(requestLine[0])
    target = String(requestLine[1])
    version = String(requestLine[2])
    self.contentLength = contentLength
    self.isChunked = isChunked
    self.expectsContinue = expectsContinue
    self.closes = closes || version == "HTTP/1.0"
  }

  /// The target up to its `?`.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// What follows the target's `?`, if there is one.
  package var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// Names and values in the order in which they came, surrounding blanks removed.
  package var headers: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    raw.withUnsafeBytes { bytes in
      forEachLine(bytes) { line, isFirst in
        guard !isFirst, let colon = line.firstIndex(of: 0x3A) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        result.append((name, String(decoding: line[(colon + 1)...], as: UTF8.self).trimmed))
      }
    }
    return result
  }

  /// The values of all headers of that name, whatever its case.
  package func values(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return headers.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// The value of the first header of that name, whatever its case.
  package func value(_ name: String) -> String? { values(name).first }

  /// The head as text, for messages and for assertions on its exact bytes.
  package var text: String { String(decoding: raw, as: UTF8.self) }
}

private func forEachLine(_ bytes: UnsafeRawBufferPointer, _ body: (Slice<UnsafeRawBufferPointer>, Bool) -> Void) {
  var start = 0
  while let count = UnsafeRawBufferPointer(rebasing: bytes[start...]).count(through: "\n", from: 0) {
    let feed = start + count - 1
    let end = feed > start && bytes[feed - 1] == 0x0D ? feed - 1 : feed
    if end == start { return }
    body(bytes[start..<end], start == 0)
    start = feed + 1
  }
}

private func equals(_ name: Slice<UnsafeRawBufferPointer>, _ lowerCase: StaticString) -> Bool {
  guard name.count == lowerCase.utf8CodeUnitCount else { return false }
  return zip(name, UnsafeBufferPointer(start: lowerCase.utf8Start, count: name.count)).allSatisfy { $0 | 0x20 == $1 }
}

extension String {
  var trimmed: String {
    var view = self[...]
    while let first = view.first, first == " " || first == "\t" { view.removeFirst() }
    while let last = view.last, last == " " || last == "\t" { view.removeLast() }
    return String(view)
  }
}
