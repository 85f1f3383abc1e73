import Foundation

/// Who runs next.
enum TransferSchedule {
  struct Candidate: Hashable, Sendable {
    var id: UUID
    var origin: String
    var priority: AFTransferRequest.Priority
    /// Its place in the order of adding.
    var order: Int
    /// Seconds that it could have run.
    var waited: TimeInterval
    var attempts: Int
  }

  struct Running: Hashable, Sendable {
    var id: UUID
    var origin: String
    var priority: AFTransferRequest.Priority
    /// Whether what it has done is kept when it is interrupted.
    var isResumable: Bool
  }

  struct Choice: Hashable, Sendable {
    var start: [UUID] = []
    /// One that gives its place to a more urgent one.
    var interrupt: UUID?
  }

  /// `total` is how many may run at once; `mayStart` is asked whether one more may begin at an origin that has so many.
  static func choose(
    _ candidates: [Candidate], running: [Running], total: Int, isProbing: (String) -> Bool,
    mayStart: (_ origin: String, _ running: Int) -> Bool
  ) -> Choice {
    var choice = Choice()
    var atOrigin: [String: Int] = [:]
    for transfer in running { atOrigin[transfer.origin, default: 0] += 1 }
    var free = total - running.count
    for candidate in candidates.sorted(by: { isBefore($0, $1, isProbing) }) {
      let count = atOrigin[candidate.origin, default: 0]
      guard mayStart(candidate.origin, count) else { continue }
      if free > 0 {
        free -= 1
        atOrigin[candidate.origin] = count + 1
        choice.start.append(candidate.id)
      } else {
        // The first that could run but for the number: a high one does not wait for a long low one.
        if candidate.priority == .high, candidate.waited >= 30, choice.start.isEmpty {
          choice.interrupt = running.filter { $0.isResumable && $0.priority == .low }.map(\.id).first
        }
        break
      }
    }
    return choice
  }

  /// Strict by priority, one step up for each half hour; then first in, first out. While an origin is probed the probe goes round, so
  /// that one transfer that the server cannot bear does not stop the others.
  private static func isBefore(_ first: Candidate, _ second: Candidate, _ isProbing: (String) -> Bool) -> Bool {
    let (one, other) = (rank(first), rank(second))
    if one != other { return one > other }
    if first.origin == second.origin, first.attempts != second.attempts, isProbing(first.origin) {
      return first.attempts < second.attempts
    }
    return first.order < second.order
  }

  private static func rank(_ candidate: Candidate) -> Int {
    let steps = candidate.waited.isFinite ? Int(min(10, max(0, candidate.waited / 1800))) : 0
    return min(AFTransferRequest.Priority.high.rawValue, candidate.priority.rawValue + steps)
  }
}
