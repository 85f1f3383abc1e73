#if Zstandard
  import CZstd

  /// Undoes Zstandard (RFC 8878), with a window of 8 MiB at most (RFC 9659 §3).
  final class ZstandardLayer: CodingLayer {
    private static let largestWindowLog: Int32 = 23

    let coding = ContentCoding.zstandard
    private let stream: OpaquePointer
    /// A frame has begun and not ended.
    private var isInFrame = false
    private var hasFrame = false
    private var isDone = false
    /// The first bytes of what may be another frame.
    private var held: [UInt8] = []
    private var heldOffset = 0

    init?() {
      guard let stream = ZSTD_createDCtx() else { return nil }
      self.stream = stream
      ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.largestWindowLog)
    }

    deinit { ZSTD_freeDCtx(stream) }

    var mayEnd: Bool { isDone || !isInFrame && (hasFrame || held.isEmpty) }

    func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep {
      var step = CodingStep()
      while true {
        if isDone {
          step.consumed = input.count
          return step
        }
        if !isInFrame {
          guard step.consumed < input.count else { return step }
          held.append(input[step.consumed])
          step.consumed += 1
          decide()
          continue
        }
        guard decompress(input, output, &step) else { return step }
      }
    }

    /// Whether a frame begins with the held bytes. Several may follow each other (RFC 8878 §3.1); anything else behind the
    /// first is not part of the body.
    private func decide() {
      guard held.count == 4 || (hasFrame && !Self.mayBeginFrame(held)) else { return }
      if hasFrame, !Self.mayBeginFrame(held) {
        isDone = true
        held = []
      } else {
        isInFrame = true
        hasFrame = true
      }
    }

    private static func mayBeginFrame(_ bytes: [UInt8]) -> Bool {
      if bytes.elementsEqual([0x28, 0xB5, 0x2F, 0xFD].prefix(bytes.count)) { return true }
      guard let first = bytes.first, (0x50...0x5F).contains(first) else { return false }
      return bytes.dropFirst().elementsEqual([0x2A, 0x4D, 0x18].prefix(bytes.count - 1))
    }

    /// One call of the library. False: there is nothing more to be done with the input.
    private func decompress(
      _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer, _ step: inout CodingStep
    ) -> Bool {
      let isHeld = heldOffset < held.count
      let bytes = held
      let before = step
      func call(_ source: UnsafeRawBufferPointer) -> (Int, Int) {
        var from = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
        var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: step.produced)
        let result = ZSTD_decompressStream(stream, &to, &from)
        step.produced = to.pos
        return (result, from.pos)
      }
      let (result, taken) =
        isHeld
        ? bytes.withUnsafeBytes { call(UnsafeRawBufferPointer(rebasing: $0[heldOffset...])) }
        : call(UnsafeRawBufferPointer(rebasing: input[step.consumed...]))
      if isHeld { heldOffset += taken } else { step.consumed += taken }
      if ZSTD_isError(result) != 0 {
        step.fault = Self.fault(result)
        return false
      }
      if result == 0 {
        isInFrame = false
        held = []
        heldOffset = 0
      }
      return step.produced < output.count && (taken > 0 || step.produced > before.produced)
    }

    private static func fault(_ result: Int) -> CodingFault {
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_memory_allocation: .noMemory
      case ZSTD_error_frameParameter_windowTooLarge: .windowTooLarge
      case ZSTD_error_checksum_wrong: .wrongChecksum
      default: .damaged(ZSTD_getErrorName(result).map { String(cString: $0) } ?? "")
      }
    }
  }
#endif
