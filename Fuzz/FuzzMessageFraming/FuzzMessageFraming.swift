@testable internal import AFTransport
internal import FuzzSupport

/// Whatever comes as a response's head: how its body ends is one of the ways of RFC 9112 §6.3, and does not change where the head is
/// written in another way that means the same. The first byte chooses the request's method.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessageFraming(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let method = (bytes.first ?? 0) & 1 == 0 ? "GET" : "HEAD"
  let text = Array(bytes.dropFirst())
  let head = ResponseHead(bytes: text)
  let framing = read(head, method)
  // A field that says nothing about it, before and behind the others.
  if let end = text.firstIndex(of: 0x0A) {
    let first = Array(text[...end])
    let plain = Array("X-Plain: 1\r\n".utf8)
    demand(
      read(ResponseHead(bytes: first + plain + text[(end + 1)...]), method) == framing, "a field before changes it")
    if text.last == 0x0A {
      demand(read(ResponseHead(bytes: text + plain), method) == framing, "a field behind changes it")
      let again = ResponseHead(bytes: text + Array("Transfer-Encoding: gzip\r\n".utf8))
      let isSecond =
        method == "GET" && head.statusCode != 204 && head.statusCode != 304 && head.httpVersion == "HTTP/1.1"
      if isSecond { demand(read(again, method) == nil, "a coding that was not asked for is let through") }
    }
  }
  guard let framing else { return 0 }
  switch framing.length {
  case .bytes(let length):
    demand(length >= 0, "a length of \(length)")
    let told = head.values("Content-Length").flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    if !framing.isFolded {
      demand(!told.isEmpty && told.allSatisfy { Int64(trimmed($0)) == length }, "\(length) is not what \(told) say")
    }
  case .chunked: demand(head.values("Transfer-Encoding").count > 0 || framing.isFolded, "chunked without a word of it")
  case .none: demand(method == "HEAD" || [204, 304].contains(head.statusCode), "no body for \(head.statusCode)")
  case .untilEnd: break
  }
  demand((framing.announcedLength ?? 0) >= 0, "a negative length")
  return 0
}

private func read(_ head: ResponseHead, _ method: String) -> MessageFraming? {
  try? MessageFraming(head, method: method)
}

private func trimmed(_ text: Substring) -> String {
  String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
}
