/// What one pull from a ``BodyReader`` gave.
package enum BodyPull: Sendable {
  /// So many bytes, at least one, stand at the start of the buffer.
  case bytes(Int)
  /// Nothing yet: pull again at this moment, or, without one, when the wake-up closure has been called.
  case wait(until: MonotonicTime?)
  /// The body is complete. Every further pull says the same.
  case end
  /// The body cannot be completed. Every further pull says the same.
  case failed(any Error)
}

/// A request body that is pulled without blocking.
///
/// This is the seam between what makes a body (AFMultipart, a file, a stream) and what sends it (AFTransport). `read`,
/// `rewind` and `close` are called one at a time, by one thread at a time, and must return promptly: a source that has to
/// block reads ahead on a queue of its own, answers `.wait(until: nil)` meanwhile, and calls the wake-up closure when more
/// bytes, the end or a failure have come.
package protocol BodyReader: AnyObject, Sendable {
  /// The number of bytes of the whole body, or nil if it is not known before the end.
  var contentLength: Int64? { get }

  /// Whether ``rewind()`` can succeed. Known before the first byte is read.
  var isReplayable: Bool { get }

  /// Sets the closure to call, from any thread, when a `.wait(until: nil)` may be over. A wake-up too many does no harm.
  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void)

  /// Puts the next bytes at the start of `buffer`, which is not empty.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull

  /// Goes back to the first byte; the body is then given again, byte for byte.
  func rewind() throws

  /// Releases what the reader holds; nothing is pulled afterwards. Called once, also after a failure.
  func close()
}
