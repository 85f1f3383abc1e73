/// Why a stream or sequence cannot be the body, or the part of a body, that it was meant to be.
package enum StreamBodyError: Error, CustomStringConvertible {
  /// There is no stream: none was given, or the closure that opens one gave none.
  case missing
  /// A length below zero was declared.
  case negativeLength(Int64)
  /// The stream was closed before the body was read.
  case closed
  /// The stream reported an error, or failed without saying why.
  case failed((any Error)?)
  /// The stream ended after `actual` of the `expected` bytes that were declared.
  case endedEarly(expected: Int64, actual: Int64)
  /// The stream can be read only once, and its reading has begun.
  case notReplayable

  package var description: String {
    switch self {
    case .missing: "there is no stream to read"
    case .negativeLength(let length): "a length of \(length) bytes was declared"
    case .closed: "the stream was closed before it was read"
    case .failed(let error?): "the stream failed: \(error.shownText)"
    case .failed(nil): "the stream failed and gave no reason"
    case .endedEarly(let expected, let actual): "the stream ended after \(actual) of the \(expected) bytes declared"
    case .notReplayable: "the stream can be read only once, and its reading has begun"
    }
  }
}
