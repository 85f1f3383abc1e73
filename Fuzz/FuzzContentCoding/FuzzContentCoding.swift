internal import AFTransport
internal import Foundation
internal import FuzzSupport

/// A body says the same whether it comes in one piece or in many, and whether its reader takes all or has enough after each step;
/// it ends within its limit, well or with an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContentCoding(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(bytes, count)
  let value = input.text()
  let step = max(1, Int(input.byte()))
  let body = input.data()
  guard case .undo(let codings) = ContentCodingList([value]) else { return 0 }
  demand(codings.count <= ContentCodingList.maximum, "too many codings")
  let whole = decode(codings, body, step: max(1, body.count), isPatient: true)
  let pieces = decode(codings, body, step: step, isPatient: true)
  let stopped = decode(codings, body, step: step, isPatient: false)
  demand(
    pieces.failure == stopped.failure, "\(String(describing: pieces.failure)) or \(String(describing: stopped.failure))"
  )
  demand(pieces.count == stopped.count, "\(pieces.count) or \(stopped.count) bytes")
  demand(
    (whole.failure == nil) == (pieces.failure == nil), "\(String(describing: whole.failure)) depends on the pieces")
  if whole.failure == nil { demand(whole.data == pieces.data && whole.data == stopped.data, "another body in pieces") }
  return 0
}

private let limit: Int64 = 1 << 20

private struct Outcome {
  var data = Data()
  var failure: TransferFailure.Kind?
  var count: Int { data.count }
}

private func decode(_ codings: [ContentCoding], _ body: Data, step: Int, isPatient: Bool) -> Outcome {
  var limits = BodyLimits()
  limits.decoded = limit
  guard let decoder = ContentDecoder(codings, limits: limits) else { return Outcome(failure: .noMemory) }
  var outcome = Outcome()
  func take(_ decoded: UnsafeRawBufferPointer) -> Bool {
    demand(!decoded.isEmpty, "no bytes")
    outcome.data.append(contentsOf: decoded)
    return isPatient
  }
  var position = 0
  while position < body.count {
    let piece = Array(body[position..<min(body.count, position + step)])
    position += piece.count
    var result = piece.withUnsafeBytes { decoder.decode($0, take) }
    while result == .stopped { result = decoder.resume(take) }
    if result == .failed { break }
  }
  outcome.failure = decoder.finish()?.kind
  demand(Int64(outcome.count) <= limit, "\(outcome.count) bytes are more than the limit")
  return outcome
}
