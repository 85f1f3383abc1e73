@testable internal import AFTransport
internal import FuzzSupport

/// A chunked body says the same whether it comes in one piece or in many, gives no more than came, and what is written by the rules
/// is read back. The first byte chooses which of the two is tried, the second how large the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunkedBody(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = FuzzInput(start, count)
  let writes = input.byte() & 1 == 1
  let step = max(1, Int(input.byte()))
  let rest = Array(input.data())
  let bytes = writes ? written(rest, step: step) : rest
  let whole = read(bytes, step: max(1, bytes.count))
  for size in [step, 1] {
    let pieces = read(bytes, step: size)
    demand(pieces == whole, "\(pieces) in pieces of \(size), \(whole) in one")
  }
  demand(whole.body.count + whole.excess <= bytes.count, "more than came")
  demand(whole.excess == 0 || whole.isComplete, "something after an end that has not come")
  if writes {
    demand(
      whole.problem == nil && whole.isComplete && whole.body == rest && whole.excess == 3, "not read back: \(whole)")
  }
  return 0
}

private struct Outcome: Equatable {
  var body: [UInt8] = []
  var trailers: [[UInt8]] = []
  var isComplete = false
  var excess = 0
  var problem: String?
}

private func read(_ bytes: [UInt8], step: Int) -> Outcome {
  var outcome = Outcome()
  var chunks = ChunkedBody()
  var position = 0
  while position < bytes.count, outcome.problem == nil {
    let piece = Array(bytes[position..<min(bytes.count, position + step)])
    position += piece.count
    do {
      try piece.withUnsafeBytes { raw in
        try chunks.read(raw, longestTrailer: 100) {
          demand(!$0.isEmpty, "no bytes")
          outcome.body.append(contentsOf: $0)
        } trailer: {
          outcome.trailers.append(Array($0))
          guard $0.count > 100 else { return true }
          outcome.problem = "long"
          return false
        }
      }
    } catch {
      outcome.problem = "\(error)"
    }
  }
  outcome.isComplete = chunks.isComplete
  outcome.excess = outcome.problem == nil ? chunks.excess : 0
  return outcome
}

/// `body` in chunks of `step` bytes, a trailer, and three bytes that belong to nothing.
private func written(_ body: [UInt8], step: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  var position = 0
  while position < body.count {
    let chunk = body[position..<min(body.count, position + step)]
    position += chunk.count
    bytes +=
      Array("\(String(chunk.count, radix: 16, uppercase: step & 1 == 0)) ;a=b\r\n".utf8) + chunk + Array("\r\n".utf8)
  }
  return bytes + Array("0\r\nX-Sum: 7\r\n\r\nGET".utf8)
}
