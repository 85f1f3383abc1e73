/// Undoes one content coding, a piece at a time.
protocol CodingLayer: AnyObject {
  var coding: ContentCoding { get }

  /// Whether the coded bytes may end here: complete, or not begun.
  var mayEnd: Bool { get }

  /// Takes from `input` and puts into `output` as much as either allows. Nothing taken and nothing put means that all there is
  /// has been put, and that more input is needed.
  func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep
}

/// What one call of a layer did. Bytes may have been put before a fault was met.
struct CodingStep {
  var consumed = 0
  var produced = 0
  var fault: CodingFault?
}

/// Why a coded body cannot be decoded.
enum CodingFault: Equatable {
  /// The coded bytes are not what the coding allows; the library says why.
  case damaged(String)
  /// All was decoded, and the sum or the length at the end is another.
  case wrongChecksum
  case endsEarly
  /// The encoder wants more memory for its window than a decoder has to give it (RFC 9659).
  case windowTooLarge
  case noMemory
  /// More comes out than a limit allows.
  case tooLarge(limit: Int64)
  /// More comes out of each byte than a limit allows.
  case growsTooMuch(ratio: Int)

  /// A sentence about the fault in a body of which `decoded` bytes were decoded.
  func message(_ coding: ContentCoding, decoded: Int64) -> String {
    let name = coding.rawValue
    return switch self {
    case .damaged(let why):
      "The body's content coding \(name) is damaged after \(decoded) decoded bytes\(why.isEmpty ? "" : ": \(why)")"
    case .wrongChecksum:
      "The body's content coding \(name) is damaged: its checksum or length does not fit the \(decoded) bytes that it holds"
    case .endsEarly: "The body's content coding \(name) ends early, after \(decoded) decoded bytes"
    case .windowTooLarge: "The body's content coding \(name) asks for a larger window than 8 MiB"
    case .noMemory: "There is no memory for undoing the body's content coding \(name)"
    case .tooLarge(let limit): "The body is larger than \(limit) bytes when it is decoded, which is the limit"
    case .growsTooMuch(let ratio):
      "The body's content coding grows to more than \(ratio) times its size, which is the limit, after \(decoded) bytes"
    }
  }

  /// What the transfer fails with.
  func failure(_ coding: ContentCoding, decoded: Int64) -> TransferFailure {
    let kind: TransferFailure.Kind =
      switch self {
      case .damaged, .wrongChecksum, .endsEarly, .windowTooLarge: .badContent
      case .noMemory: .noMemory
      case .tooLarge, .growsTooMuch: .oversizedBody
      }
    return TransferFailure(kind: kind, message: message(coding, decoded: decoded))
  }
}
