/// One step of a script that says bytes: what it sends, and what becomes of the connection.
package enum TestStep: Sendable {
  case send([UInt8])
  /// At most so many bytes at a time, with so many seconds between.
  case drip([UInt8], bytes: Int, every: Double)
  case effect(TestEffect)

  /// `bytes`, with `effect` at `offset`. A drip sends what follows piece by piece.
  package static func steps(_ bytes: [UInt8], _ effect: TestEffect, at offset: Int) -> [TestStep] {
    let first = Array(bytes.prefix(offset))
    let rest = Array(bytes.dropFirst(offset))
    if case .drip(let count, let every) = effect { return [.send(first), .drip(rest, bytes: count, every: every)] }
    return [.send(first), .effect(effect), .send(rest)]
  }
}

extension TestConnection {
  package func perform(_ steps: [TestStep]) throws {
    for step in steps {
      switch step {
      case .send(let bytes): try send(bytes)
      case .effect(let effect): try perform(effect)
      case .drip(let bytes, let count, let seconds):
        var rest = bytes[...]
        while !rest.isEmpty {
          try send(Array(rest.prefix(count)))
          rest = rest.dropFirst(count)
          if !rest.isEmpty { try wait(seconds) }
        }
      }
    }
  }
}
