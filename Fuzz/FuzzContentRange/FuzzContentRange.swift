internal import AFCore
internal import AFTransport
internal import Foundation
internal import FuzzSupport

/// Whatever a server says of a part, and whatever resume data say of a file, nothing traps, and bytes are appended only where they
/// belong.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzContentRange(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let status = [200, 203, 206, 206, 206, 404, 416, 503][Int(input.byte() & 7)]
  let names = [
    "Content-Range", "Content-Length", "ETag", "Last-Modified", "Date", "Content-Type", "Content-Encoding",
    "Content-Range",
  ]
  var head = Array("HTTP/1.1 \(status) Some\r\n".utf8)
  for name in names {
    let value = input.text().filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
    if !value.isEmpty { head += Array("\(name): \(value)\r\n".utf8) }
  }
  let response = ResponseHead(bytes: head)
  let answer = PartAnswer(response)
  _ = FirstDecision(RequestedRange(input.text()), answer)
  let validator = PartValidator(response)
  if let condition = validator?.ifRange { demand(!condition.hasPrefix("W/"), "a weak tag: \(condition)") }
  let rest = input.data()
  var parts = [40_000, 0, 1, .max].map { KeptPart(length: $0, total: 100_000, validator: validator ?? example) }
  parts.append(KeptPart(start: 1000, length: 400, end: 2000, validator: example))
  if let resume = ResumeData(rest) {
    demand(resume.data.flatMap { ResumeData($0) }?.part == resume.part, "not read back")
    demand(resume.part.length > 0 && resume.part.start >= 0, "an impossible part: \(resume.part)")
    parts.append(resume.part)
  }
  for part in parts {
    demand(part.range.hasPrefix("bytes="), part.range)
    guard case .append(let at, let end, _) = ResumeDecision(part, answer) else { continue }
    demand(at >= part.start && at <= part.position && end > part.position, "\(at)..<\(end) to \(part)")
    demand(part.end.map { end <= $0 } ?? true, "more than was asked for")
    _ = BodyEndDecision(opened: at, position: at, end: end, goal: part.total)
  }
  return 0
}

private let example = PartValidator(ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n".utf8))) ?? fallback
private var fallback: PartValidator { fatalError("no validator") }
