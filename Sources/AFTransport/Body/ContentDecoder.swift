import CZlib

/// Undoes the content codings gzip and deflate (RFC 9110 §8.4.1) in small steps.
///
/// libcurl's own decoder is never used: it inflates all it has received at once, and fails a transfer that is paused with
/// more than 64 MiB inflated (pitfall 10). Here a reader that has had enough stops the step, and the rest waits compressed.
final class ContentDecoder {
  enum Coding { case gzip, deflate }

  enum Step { case consumed, stopped, damaged }

  private var stream = z_stream()
  private var isOpen = false
  private var isAtEnd = false
  /// The inflater's output did not fit: it may hold more without further input.
  private var owesOutput = false
  private let coding: Coding
  private var pending: [UInt8] = []
  private let scratch: UnsafeMutableBufferPointer<UInt8>

  private static let scratchSize = 64 << 10

  init(_ coding: Coding) {
    self.coding = coding
    scratch = .allocate(capacity: Self.scratchSize)
  }

  deinit {
    if isOpen { inflateEnd(&stream) }
    scratch.deallocate()
  }

  /// The coding that a `Content-Encoding` value names, or nil if there is none, or none that is understood.
  static func coding(_ contentEncoding: String?) -> Coding? {
    switch contentEncoding?.lowercased() {
    case "gzip", "x-gzip": .gzip
    case "deflate": .deflate
    default: nil
    }
  }

  /// Whether anything waits because a step was stopped.
  var hasPending: Bool { !pending.isEmpty || owesOutput }

  /// Whether the coded body may end here: complete, or without a single byte.
  var isComplete: Bool { isAtEnd || !isOpen }

  /// Decodes `input` after what is pending. `emit` takes decoded bytes and says whether it wants more.
  func decode(_ input: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) -> Bool) -> Step {
    guard !hasPending else {
      pending.append(contentsOf: input)
      return resume(emit)
    }
    return run(input, emit)
  }

  /// Goes on with what is pending.
  func resume(_ emit: (UnsafeRawBufferPointer) -> Bool) -> Step {
    let input = pending
    pending = []
    return input.withUnsafeBytes { run($0, emit) }
  }

  private func run(_ input: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) -> Bool) -> Step {
    guard !input.isEmpty || owesOutput else { return .consumed }
    guard isOpen || open(input) else { return .damaged }
    var rest = input
    repeat {
      if isAtEnd {
        guard !rest.isEmpty, startMember(rest) else { return .consumed }
      }
      stream.next_in = UnsafeMutablePointer(mutating: rest.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.avail_in = UInt32(rest.count)
      stream.next_out = scratch.baseAddress
      stream.avail_out = UInt32(scratch.count)
      let code = inflate(&stream, Z_NO_FLUSH)
      guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { return .damaged }
      isAtEnd = code == Z_STREAM_END
      owesOutput = stream.avail_out == 0 && !isAtEnd
      let produced = scratch.count - Int(stream.avail_out)
      if produced == 0, Int(stream.avail_in) == rest.count, !isAtEnd {
        return rest.isEmpty ? .consumed : .damaged
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.suffix(Int(stream.avail_in)))
      if produced > 0, !emit(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(scratch)[..<produced])) {
        pending = Array(rest)
        return hasPending ? .stopped : .consumed
      }
    } while !rest.isEmpty || owesOutput
    return .consumed
  }

  private func open(_ input: UnsafeRawBufferPointer) -> Bool {
    // "deflate" means zlib's format; some servers send the bare stream, which has no such two bytes in front.
    let isZlib = input.count >= 2 && input[0] & 0x0F == 8 && (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
    let windowBits: Int32 =
      switch coding {
      case .gzip: 15 + 16
      case .deflate: isZlib ? 15 : -15
      }
    isOpen = af_inflateInit2(&stream, windowBits) == Z_OK
    return isOpen
  }

  /// A gzip body may have several members (RFC 1952 §2.2). Anything else after the end is left alone.
  private func startMember(_ rest: UnsafeRawBufferPointer) -> Bool {
    guard coding == .gzip, rest[0] == 0x1F, inflateReset(&stream) == Z_OK else { return false }
    isAtEnd = false
    return true
  }
}
