#if Brotli
  import CBrotli

  /// Undoes Brotli (RFC 7932). The window is 16 MiB at most: the format's own limit, as the "large window" variant is off.
  final class BrotliLayer: CodingLayer {
    let coding = ContentCoding.brotli
    private let decoder: OpaquePointer
    private var hasBegun = false
    private var isDone = false

    init?() {
      guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
      self.decoder = decoder
    }

    deinit { BrotliDecoderDestroyInstance(decoder) }

    var mayEnd: Bool { isDone || !hasBegun }

    func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep {
      // What follows the end is not part of the body.
      if isDone { return CodingStep(consumed: input.count) }
      if !input.isEmpty { hasBegun = true }
      var left = input.count
      var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
      var room = output.count
      var end = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let result = BrotliDecoderDecompressStream(decoder, &left, &next, &room, &end, nil)
      var step = CodingStep(consumed: input.count - left, produced: output.count - room)
      switch result {
      case BROTLI_DECODER_RESULT_SUCCESS: isDone = true
      case BROTLI_DECODER_RESULT_ERROR: step.fault = fault
      default: break
      }
      return step
    }

    private var fault: CodingFault {
      let code = BrotliDecoderGetErrorCode(decoder)
      // Memory's codes lie in this range; decode.h has a name for each.
      if (-30 ... -21).contains(code.rawValue) { return .noMemory }
      return .damaged(BrotliDecoderErrorString(code).map { String(cString: $0) } ?? "")
    }
  }
#endif
