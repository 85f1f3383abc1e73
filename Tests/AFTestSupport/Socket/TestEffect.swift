/// Something that goes wrong, or slowly, with a connection at a moment that the script names.
package enum TestEffect: Sendable {
  /// Closes in order. With bytes unread the kernel makes a reset of it.
  case close
  /// Closes without TLS's close alert.
  case abandon
  /// Resets the connection (RST).
  case reset
  /// Neither reads nor writes any more, until the peer goes away.
  case stall
  /// Sends nothing more, says so (FIN), and reads whatever still comes.
  case finishSending
  /// Waits so many seconds, and goes on.
  case delay(Double)
  /// Goes on with at most so many bytes at a time, each followed by so many seconds of rest.
  case drip(bytes: Int, every: Double)
  /// Waits until the test opens the latch, and goes on.
  case wait(Latch)
}

extension TestConnection {
  /// Carries the effect out. Returns only where the script goes on.
  package func perform(_ effect: TestEffect) throws {
    switch effect {
    case .close: try close()
    case .abandon: try abandon()
    case .reset: try reset()
    case .stall: try stall()
    case .finishSending:
      finishSending()
      while try !read().isEmpty {}
      try close()
    case .delay(let seconds): try wait(seconds)
    case .drip(let bytes, let every): readPace = (bytes, every)
    case .wait(let latch): try wait(for: latch)
    }
  }
}
