import AFSupport

/// AFNetworking's throttle: no read gives more than a packet, and between two packets is a pause.
///
/// It counts packets, however many reads and parts one is made of.
struct PacketPacer: Sendable {
  struct Settings: Sendable, Equatable {
    var packetSize = Int.max
    /// Seconds; 0 for none.
    var delay = 0.0

    init() {}

    init(packetSize: UInt, delay: Double) {
      self.packetSize = packetSize == 0 ? .max : Int(clamping: packetSize)
      self.delay = delay.isFinite ? max(0, delay) : 0
    }
  }

  private let settings: Settings
  private var remaining: Int
  private var pausedUntil: MonotonicTime?

  init(_ settings: Settings) {
    self.settings = settings
    remaining = settings.packetSize
  }

  /// How many bytes may be read now.
  mutating func allowance(upTo count: Int, now: MonotonicTime) -> RateGrant {
    if let moment = pausedUntil {
      guard now >= moment else { return .wait(until: moment) }
      pausedUntil = nil
    }
    return .bytes(min(count, remaining))
  }

  /// Counts bytes that have been read.
  mutating func spend(_ count: Int, now: MonotonicTime) {
    guard settings.packetSize != .max else { return }
    remaining -= count
    guard remaining <= 0 else { return }
    remaining = settings.packetSize
    if settings.delay > 0 { pausedUntil = now + settings.delay }
  }
}
