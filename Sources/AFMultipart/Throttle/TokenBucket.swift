import AFSupport

/// The arithmetic of a bandwidth limit: a token bucket whose takers get turns.
///
/// A bucket alone would be drained by whoever happens to ask first. Therefore a taker that others wait for gets one quantum,
/// about 10 ms worth, and then goes to the end of the queue; a taker that does not come when it is its turn is passed over.
/// No clock and no lock in here: the caller says what time it is.
struct TokenBucket: Sendable {
  typealias Taker = ObjectIdentifier

  private(set) var rate: Int
  private(set) var customBurst: Int?
  private var tokens = 0.0
  private var updated: MonotonicTime
  /// Whose turn it is, how much of it is used up, and until when it has to show up.
  private var current: Taker?
  private var used = 0
  private var due = MonotonicTime(nanoseconds: 0)
  private var waiting: [Taker] = []

  /// The longest that anybody is told to wait before asking again, so that a changed rate is noticed soon.
  private static let longestWait = 0.25
  /// How late a taker may be for its turn.
  private static let patience = 0.05

  init(rate: Int, burst: Int?, now: MonotonicTime) {
    self.rate = max(0, rate)
    customBurst = burst
    updated = now
    tokens = min(capacity, Double(quantum))
  }

  /// Bytes that are worth a wake-up, a system call and a TLS record, yet not more than a quarter of a second's worth.
  private var leastGrant: Int { max(1, min(4096, rate / 4)) }

  private var capacity: Double {
    Double(max(1, customBurst ?? max(leastGrant, rate / 4)))
  }

  /// One turn: about 10 ms worth, in the limits that keep wake-ups rare and turns short.
  private var quantum: Int {
    let turn = max(leastGrant, min(rate / 100, 1 << 20))
    return min(turn, max(1, customBurst ?? turn))
  }

  mutating func setRate(_ newRate: Int, now: MonotonicTime) {
    refill(now)
    rate = max(0, newRate)
    tokens = min(tokens, capacity)
  }

  mutating func setBurst(_ burst: Int?, now: MonotonicTime) {
    refill(now)
    customBurst = burst
    tokens = min(tokens, capacity)
  }

  mutating func take(_ taker: Taker, upTo count: Int, now: MonotonicTime) -> RateGrant {
    if rate == .max { return .bytes(count) }
    refill(now)
    passOver(now)
    if current == nil, waiting.isEmpty || waiting.first == taker { beginTurn(of: taker, now) }
    if current == taker, used >= quantum, let next = waiting.first {
      waiting.append(taker)
      beginTurn(of: next, now)
    }
    guard current == taker else { return .wait(until: queue(taker, now)) }
    let allowed = waiting.isEmpty ? count : min(count, quantum - used)
    guard tokens >= Double(min(allowed, quantum, leastGrant)) else {
      due = moment(when: quantum, now)
      return .wait(until: due)
    }
    let granted = min(allowed, Int(tokens))
    tokens -= Double(granted)
    used += granted
    due = now
    return .bytes(granted)
  }

  mutating func giveBack(_ count: Int) {
    tokens = min(capacity, tokens + Double(count))
    used = max(0, used - count)
  }

  mutating func remove(_ taker: Taker) {
    waiting.removeAll { $0 == taker }
    if current == taker { current = nil }
  }

  private mutating func refill(_ now: MonotonicTime) {
    guard now > updated else { return }
    tokens = min(capacity, tokens + (now - updated) * Double(rate))
    updated = now
  }

  /// Ends the turn of a taker that keeps others waiting without taking.
  private mutating func passOver(_ now: MonotonicTime) {
    while current != nil, let next = waiting.first, now - due > Self.patience {
      beginTurn(of: next, now)
      due = max(due, now)
    }
  }

  private mutating func beginTurn(of taker: Taker, _ now: MonotonicTime) {
    waiting.removeAll { $0 == taker }
    current = taker
    used = 0
    due = moment(when: quantum, now)
  }

  /// Puts the taker into the queue if it is not there; its turn comes when those before it have had theirs.
  private mutating func queue(_ taker: Taker, _ now: MonotonicTime) -> MonotonicTime {
    let place = waiting.firstIndex(of: taker) ?? waiting.count
    if place == waiting.count { waiting.append(taker) }
    return moment(when: (quantum - min(used, quantum)) + quantum * place + min(quantum, leastGrant), now)
  }

  /// When so many bytes will be in the bucket, at the present rate; not before a millisecond, not after the longest wait.
  private func moment(when bytes: Int, _ now: MonotonicTime) -> MonotonicTime {
    guard rate > 0 else { return now + Self.longestWait }
    let seconds = (Double(bytes) - tokens) / Double(rate)
    return now + min(Self.longestWait, max(0.001, seconds))
  }
}
