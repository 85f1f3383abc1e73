package import AFSupport

/// A budget of bytes per second that one or several transfers draw from.
///
/// Give one to a form (``AFMultipartForm/bandwidthLimit``), or the same one to several forms and they share it equally. It
/// can be changed while transfers run; they notice within a quarter of a second. Waiting costs no thread and holds up no
/// other transfer. What is counted is the body, without the few bytes that HTTP and TLS add.
///
/// ```swift
/// let uplink = AFBandwidthLimit(bytesPerSecond: 512 * 1024)
/// form.bandwidthLimit = uplink
/// uplink.bytesPerSecond = 2 * 1024 * 1024  // at night
/// ```
public final class AFBandwidthLimit: Sendable {
  private let state: Locked<TokenBucket>

  /// A limit, with nothing saved up yet.
  /// - Parameters:
  ///   - bytesPerSecond: The rate; 0 lets nothing through, `Int.max` everything.
  ///   - burst: How many bytes may go at once after a pause. Default: a quarter of a second's worth.
  public init(bytesPerSecond: Int, burst: Int? = nil) {
    state = Locked(TokenBucket(rate: bytesPerSecond, burst: burst, now: .now))
  }

  /// The rate; 0 lets nothing through, `Int.max` everything. Negative counts as 0.
  public var bytesPerSecond: Int {
    get { state.withLock { $0.rate } }
    set { state.withLock { $0.setRate(newValue, now: .now) } }
  }

  /// How many bytes may go at once after a pause; nil for a quarter of a second's worth.
  public var burst: Int? {
    get { state.withLock { $0.customBurst } }
    set { state.withLock { $0.setBurst(newValue, now: .now) } }
  }

  /// A place in the queue for one transfer, up or down. Each transfer needs its own, or they do not share equally.
  package func makeShare() -> any RateLimiter {
    Share(limit: self)
  }

  private final class Share: RateLimiter {
    private let limit: AFBandwidthLimit
    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    init(limit: AFBandwidthLimit) {
      self.limit = limit
    }

    deinit {
      limit.state.withLock { $0.remove(ObjectIdentifier(self)) }
    }

    func take(upTo count: Int, now: MonotonicTime) -> RateGrant {
      limit.state.withLock { $0.take(id, upTo: count, now: now) }
    }

    func giveBack(_ count: Int) {
      limit.state.withLock { $0.giveBack(count) }
    }
  }
}

extension AFBandwidthLimit: Hashable {
  /// Whether both are the same budget, not merely the same rate.
  public static func == (left: AFBandwidthLimit, right: AFBandwidthLimit) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
