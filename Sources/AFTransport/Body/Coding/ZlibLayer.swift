import CZlib

/// Undoes gzip (RFC 1952) and deflate (RFC 1950, and RFC 1951 alone, which some servers send).
final class ZlibLayer: CodingLayer {
  private enum Phase {
    /// Nothing has been decided: for deflate two bytes tell which of the two formats it is.
    case opening
    case inflating
    /// A gzip member is complete; another may follow.
    case between
    /// Whatever follows is not part of the body.
    case done
  }

  let coding: ContentCoding
  private var stream = z_stream()
  private var isOpen = false
  private var phase = Phase.opening
  /// Bytes that were taken to decide, and have yet to be inflated.
  private var held: [UInt8] = []

  init(_ coding: ContentCoding) { self.coding = coding }

  deinit {
    if isOpen { inflateEnd(&stream) }
  }

  var mayEnd: Bool {
    switch phase {
    case .opening: held.isEmpty
    case .inflating: false
    case .between, .done: true
    }
  }

  func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep {
    var step = CodingStep()
    while step.fault == nil {
      switch phase {
      case .inflating:
        guard inflate(input, output, &step) else { return step }
      case .done:
        step.consumed = input.count
        return step
      case .opening, .between:
        guard step.consumed < input.count else { return step }
        held.append(input[step.consumed])
        step.consumed += 1
        step.fault = decide()
      }
    }
    return step
  }

  /// Goes from one phase to the next if the held bytes are enough to say so.
  private func decide() -> CodingFault? {
    if case .between = phase {
      // Zeros up to a block's end, or anything else: gzip's own tool ignores it, and so do browsers.
      guard held.starts(with: [0x1F, 0x8B].prefix(held.count)) else {
        held = []
        phase = .done
        return nil
      }
      guard held.count == 2 else { return nil }
      guard inflateReset(&stream) == Z_OK else { return .damaged("") }
      phase = .inflating
      return nil
    }
    guard held.count == (coding == .gzip ? 1 : 2) else { return nil }
    // "deflate" means zlib's format; no bare stream begins with its two bytes.
    let isBare = coding == .deflate && !(held[0] & 0x0F == 8 && (Int(held[0]) << 8 | Int(held[1])) % 31 == 0)
    switch af_inflateInit2(&stream, coding == .gzip ? 15 + 16 : isBare ? -15 : 15) {
    case Z_OK:
      isOpen = true
      phase = .inflating
      return nil
    case Z_MEM_ERROR: return .noMemory
    default: return .damaged("zlib does not begin")
    }
  }

  /// Inflates what is held, or else the input. False: there is nothing more to be done with the input.
  private func inflate(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ step: inout CodingStep
  ) -> Bool {
    guard held.isEmpty else {
      // Two bytes fill no output and end no body, so that none is left.
      let bytes = held
      held = []
      _ = bytes.withUnsafeBytes { inflateOnce($0, output, &step) }
      return true
    }
    let rest = UnsafeRawBufferPointer(rebasing: input[step.consumed...])
    step.consumed += rest.count - inflateOnce(rest, output, &step)
    if case .inflating = phase { return false }
    return step.produced < output.count
  }

  /// One call of zlib. Returns how many bytes it left.
  private func inflateOnce(
    _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ step: inout CodingStep
  ) -> Int {
    let room = UnsafeMutableRawBufferPointer(rebasing: output[step.produced...])
    stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(clamping: input.count)
    stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(clamping: room.count)
    let code = CZlib.inflate(&stream, Z_NO_FLUSH)
    step.produced += room.count - Int(stream.avail_out)
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: phase = coding == .gzip ? .between : .done
    case Z_MEM_ERROR: step.fault = .noMemory
    case Z_NEED_DICT: step.fault = .damaged("it needs a dictionary")
    default:
      let why = stream.msg.map { String(cString: $0) } ?? ""
      step.fault =
        why.hasSuffix("check") && why.hasPrefix("incorrect") && why != "incorrect header check"
        ? .wrongChecksum : .damaged(why)
    }
    return Int(stream.avail_in)
  }
}
