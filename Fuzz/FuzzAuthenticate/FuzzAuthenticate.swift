internal import AFCore
internal import FuzzSupport

/// Whatever WWW-Authenticate and Authentication-Info hold, nothing traps, and what is answered can stand in a header field.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAuthenticate(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let (user, password) = (input.text(), input.text())
  let info = Array(input.text().utf8)
  let values = Array(input.data()).split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
  let answers = ChallengeProbe.answers(
    to: values, info: [info], user: user, password: password, method: "GET", url: "http://h.example/a/b?c")
  for field in answers.fields {
    demand(field.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a control character in an answer")
    demand(field.hasPrefix("Basic ") || field.hasPrefix("Digest username"), "what scheme is this: \(field)")
  }
  return 0
}
