internal import AFCore
internal import AFTransport
internal import Foundation
internal import FoundationNetworking
internal import FuzzSupport

/// Whatever stands in the fields that a cache reads, nothing traps, no lifetime or age is negative or endless, what forbids to be kept is
/// not, and what wants to be asked about is not served without.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzCacheControl(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let request = CacheControl([input.text()])
  let names = [
    "Cache-Control", "Expires", "Date", "Age", "Last-Modified", "Vary", "ETag", "Pragma", "Cache-Control", "Age",
  ]
  var fields: [(name: String, value: String)] = []
  for name in names {
    let value = input.text().filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
    if !value.isEmpty { fields.append((name, value)) }
  }
  let now: Double = 1_000_000_000
  let answer = ResponseHead(status: 304, fields: Array(fields.reversed()))
  let head = ResponseHead(status: 200, fields: fields)
  for head in [head, head.kept(received: now), head.kept(received: now).refreshed(by: answer)] {
    check(CacheRules(head, requested: now - 1, received: now), request, answer, now)
    check(CacheRules(head), request, answer, now)
  }
  for field in fields {
    if let moment = HTTPDate.seconds(field.value, now: now) {
      demand(HTTPDate.seconds(HTTPDate.text(moment), now: now) == moment, "not read back: \(field.value)")
    }
  }
  return 0
}

private func check(_ rules: CacheRules, _ request: CacheControl, _ answer: ResponseHead, _ now: Double) {
  demand(rules.lifetime >= 0 && rules.lifetime < 1e12, "a lifetime of \(rules.lifetime)")
  if let age = rules.age(at: now + 10) { demand(age >= 0 && age < 1e12, "an age of \(age)") }
  if rules.control.noStore, !rules.control.mustUnderstand { demand(!rules.isStorable, "kept though it says no-store") }
  for moment in [now - 1e9, now, now + 10, now + 1e9, .infinity, -.infinity, .nan] {
    let isUsable = rules.isUsable(at: moment, for: request)
    let isUsableStale =
      rules.isUsable(afterErrorAt: moment, for: request) || rules.isUsable(whileRevalidatingAt: moment, for: request)
    demand(!(isUsable || isUsableStale) || !rules.control.noCache && !request.noCache, "used though it says no-cache")
    demand(!isUsableStale || !rules.control.mustRevalidate, "used stale though it says must-revalidate")
    let served = rules.served(at: moment, isConfirmed: false)
    demand(served.values("Age").count <= 1, "two ages")
    demand(served.value("Age").map { Int($0) != nil } != false, "an age that is no number")
    _ = CacheAnswer(answer, to: rules, wasAsked: true, request, at: moment)
    _ = CacheDecision(.useProtocolCachePolicy, request, rules, mayRevalidate: true, at: moment)
  }
  _ = (rules.isUseful, rules.conditions, CacheRules.varying(rules.head), CacheHeadAnswer(answer, to: rules, length: 1))
}
