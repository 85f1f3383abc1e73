/// What of a response breaks HTTP's framing, in words for the developer. The bytes after it mean nothing.
struct FramingProblem: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }

  /// The failure of a hop whose response this is.
  var failure: TransferFailure { TransferFailure(kind: .badFraming, message: message) }
}
