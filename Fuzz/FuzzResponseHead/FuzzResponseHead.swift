internal import AFTransport
internal import FuzzSupport

/// Whatever comes as a response's head, each field found has a name that is a token and a value on one line, and every way to ask
/// for it gives the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponseHead(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let head = ResponseHead(bytes: Array(UnsafeBufferPointer(start: start, count: count)))
  demand(ResponseHead(bytes: head.bytes).bytes == head.bytes, "not clean after the first time")
  demand((0...999).contains(head.statusCode), "a status of \(head.statusCode)")
  demand((head.contentLength ?? 0) >= 0, "a negative length")
  _ = (head.httpVersion, head.reasonPhrase)
  let fields = head.fields
  for field in fields.prefix(64) {
    demand(
      !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 58 }, "no token: \(field.name)")
    demand(!field.value.utf8.contains { [0, 10, 13].contains($0) }, "more than a line: \(field.value)")
    let all = fields.filter { $0.name.lowercased() == field.name.lowercased() }.map(\.value)
    demand(head.values(field.name) == all, "other values of \(field.name)")
    demand(head.value(field.name.uppercased()) == all.first, "another value of \(field.name)")
    demand(head.valueBytes(field.name) != nil, "no bytes of \(field.name)")
  }
  _ = ContentCodingList(head.values("Content-Encoding"))
  return 0
}
