import Glibc

/// Undoes a list of content codings (RFC 9110 §8.4) in small steps.
///
/// libcurl's own decoder is never used: it inflates all it has received at once, and fails a transfer that is paused with
/// more than 64 MiB inflated (pitfall 10). Here a reader that has had enough stops the step, and the rest waits compressed.
package final class ContentDecoder {
  package enum Step: Equatable { case consumed, stopped, failed }

  private enum Fill {
    case bytes(Int)
    case needsInput
    case failed

    var hasBytes: Bool {
      if case .bytes = self { return true }
      return false
    }
  }

  /// A layer and what it has put out, of which the next has taken up to `offset`.
  private struct Stage {
    let layer: any CodingLayer
    let output: UnsafeMutableRawBufferPointer
    var offset = 0
    var end = 0
    /// Met after bytes that go out first.
    var fault: CodingFault?

    var input: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: output[offset..<end]) }
  }

  private static let outputSize = 64 << 10

  /// The layer that is run first comes first.
  private var stages: [Stage] = []
  private let limits: BodyLimits
  private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var pending: [UInt8] = []
  private var coded: Int64 = 0
  private var decoded: Int64 = 0

  /// What was wrong, after a step that failed.
  package private(set) var failure: TransferFailure?
  /// Whether a step was stopped, so that something may wait.
  package private(set) var hasPending = false

  /// For codings in the order in which they were applied. Nil: there is no memory.
  package init?(_ codings: [ContentCoding], limits: BodyLimits = BodyLimits()) {
    self.limits = limits
    for coding in codings.reversed() {
      guard let layer = coding.makeLayer(), let output = malloc(Self.outputSize) else { return nil }
      stages.append(Stage(layer: layer, output: UnsafeMutableRawBufferPointer(start: output, count: Self.outputSize)))
    }
  }

  deinit {
    for stage in stages { free(stage.output.baseAddress) }
  }

  /// Decodes `bytes` after what is pending. `emit` takes decoded bytes and says whether it wants more.
  package func decode(_ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) -> Bool) -> Step {
    coded += Int64(bytes.count)
    guard !hasPending else {
      pending.append(contentsOf: bytes)
      return resume(emit)
    }
    return run(bytes, emit)
  }

  /// Goes on with what is pending.
  package func resume(_ emit: (UnsafeRawBufferPointer) -> Bool) -> Step {
    let bytes = pending
    pending = []
    return bytes.withUnsafeBytes { run($0, emit) }
  }

  /// The coded body has ended. Returns what is wrong with that, if anything.
  package func finish() -> TransferFailure? {
    if let failure { return failure }
    guard !hasPending, let open = stages.first(where: { !$0.layer.mayEnd }) else { return nil }
    return CodingFault.endsEarly.failure(open.layer.coding, decoded: decoded)
  }

  private func run(_ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) -> Bool) -> Step {
    guard failure == nil, let last = stages.indices.last else { return .failed }
    input = bytes
    hasPending = false
    // The bytes are the caller's.
    defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
    while true {
      switch fill(last) {
      case .needsInput: return .consumed
      case .failed: return .failed
      case .bytes(let count):
        // What comes out of the last layer is taken at once.
        stages[last].end = 0
        let (total, overflows) = decoded.addingReportingOverflow(Int64(count))
        decoded = overflows ? .max : total
        if let fault = limits.fault(coded: coded, decoded: decoded) { return fail(fault, last) }
        if !emit(UnsafeRawBufferPointer(rebasing: stages[last].output[..<count])) {
          pending = Array(input)
          hasPending = true
          return .stopped
        }
      }
    }
  }

  /// Lets a layer put out bytes, and before that those from which it takes its own, as far as needed.
  private func fill(_ index: Int) -> Fill {
    if let fault = stages[index].fault { return fail(fault, index) }
    while true {
      let source = index == 0 ? input : stages[index - 1].input
      let step = stages[index].layer.run(source, into: stages[index].output)
      if index == 0 {
        input = UnsafeRawBufferPointer(rebasing: input[step.consumed...])
      } else {
        stages[index - 1].offset += step.consumed
      }
      if step.produced > 0 {
        stages[index].fault = step.fault
        stages[index].offset = 0
        stages[index].end = step.produced
        return .bytes(step.produced)
      }
      if let fault = step.fault { return fail(fault, index) }
      if step.consumed > 0 { continue }
      guard source.isEmpty else { return fail(.damaged(""), index) }
      guard index > 0 else { return .needsInput }
      if case let other = fill(index - 1), !other.hasBytes { return other }
    }
  }

  private func fail(_ fault: CodingFault, _ index: Int) -> Step {
    failure = fault.failure(stages[index].layer.coding, decoded: decoded)
    return .failed
  }

  private func fail(_ fault: CodingFault, _ index: Int) -> Fill {
    let _: Step = fail(fault, index)
    return .failed
  }
}
