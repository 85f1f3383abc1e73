import AFSupport

/// Judges whether a peer that has answered in full still reads the request's body. A pure value.
///
/// RFC 9110 §7.5: a server may answer before it has read everything, and read on. A body that it reads goes on to its end; one that
/// it does not would keep the answer waiting for ever.
struct UploadStall {
  /// Seconds in which a peer that reads takes something. The kernel's word that nothing is under way goes with it, so that a slow
  /// or lossy network is not taken for a peer that does not read.
  static let limit = 1.0
  /// The same for a peer that has been seen to go on after it had taken nothing: it does read, if not steadily.
  static let readerLimit = 5.0
  /// Seconds from one look to the next.
  static let interval = 0.05

  private var sent: Int64 = -1
  private var since: MonotonicTime
  private var wasWaiting = false
  private var hasGoneOn = false

  init(now: MonotonicTime) { since = now }

  /// - Parameters:
  ///   - sent: bytes of the body that the peer has acknowledged.
  ///   - isUnderWay: the network has bytes that the peer's kernel has not acknowledged.
  ///   - isHeldBack: it is this side that sends nothing.
  ///   - now: the present moment.
  /// - Returns: whether the peer has stopped reading.
  mutating func isStalled(sent: Int64, isUnderWay: Bool, isHeldBack: Bool, now: MonotonicTime) -> Bool {
    let hasMoved = sent != self.sent
    if hasMoved, wasWaiting { hasGoneOn = true }
    wasWaiting = !hasMoved && !isUnderWay && !isHeldBack
    guard wasWaiting else {
      self.sent = sent
      since = now
      return false
    }
    return now - since >= (hasGoneOn ? Self.readerLimit : Self.limit)
  }
}
