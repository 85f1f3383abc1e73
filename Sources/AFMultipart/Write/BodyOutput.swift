/// Where a body is written to. All calls come from one queue and may block.
protocol BodyOutput: Sendable {
  /// Writes all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws
  /// Makes what was written final.
  func finish() throws
  /// Leaves nothing behind of what was written, as far as that is possible.
  func abandon()
}
