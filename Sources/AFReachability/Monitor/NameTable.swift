import AFSupport

/// What is known about the names that are watched, and which of them want to be resolved when. Pure: it is told the time.
struct NameTable {
  /// How long the first answer may take before the name counts as unresolved, in seconds; the answer is still taken later.
  static let patience = 5.0
  /// Changes of the network within so many seconds after a resolution wait that long.
  static let shortestInterval = 1.0
  /// Failed names are tried again after 1, 2, 4, … seconds, at most this many.
  static let longestRetry = 60.0

  enum Answer: Equatable {
    case pending
    case addresses([SocketAddress])
    case failed(reason: String)
  }

  fileprivate struct Entry {
    var answer = Answer.pending
    var isResolving = false
    /// When the first answer is due.
    var due: MonotonicTime?
    /// When to resolve again; nil is not before something changes.
    var next: MonotonicTime?
    var lastAttempt: MonotonicTime?
    var failures = 0
  }

  private var entries: [String: Entry] = [:]

  /// What is known about `name`. A name not known yet is taken up, and becomes ready for ``takeReady(_:)``.
  mutating func answer(for name: String, now: MonotonicTime) -> Answer {
    if let entry = entries[name] { return entry.answer }
    entries[name] = Entry(due: now + Self.patience, next: now)
    return .pending
  }

  /// Forgets all names but these.
  mutating func keepOnly(_ names: Set<String>) {
    entries = entries.filter { names.contains($0.key) }
  }

  /// The network has changed: every name may have other addresses now.
  mutating func invalidate(now: MonotonicTime) {
    for (name, entry) in entries {
      let earliest = entry.lastAttempt.map { $0 + Self.shortestInterval } ?? now
      entries[name]?.next = min(entry.next ?? .distantFuture, max(now, earliest))
    }
  }

  /// The names to resolve now, which from here on count as being resolved.
  mutating func takeReady(_ now: MonotonicTime) -> [String] {
    let ready = entries.filter { !$0.value.isResolving && $0.value.next.map { $0 <= now } ?? false }.keys.sorted()
    for name in ready {
      entries[name]?.isResolving = true
      entries[name]?.next = nil
      entries[name]?.lastAttempt = now
    }
    return ready
  }

  /// Takes in what the resolver said. True if the answer is another one now.
  mutating func take(_ resolution: NameResolution, for name: String, now: MonotonicTime) -> Bool {
    guard var entry = entries[name] else { return false }
    let old = entry.answer
    entry.isResolving = false
    entry.due = nil
    switch resolution {
    case .addresses(let addresses) where !addresses.isEmpty:
      entry.answer = .addresses(addresses)
      entry.failures = 0
    case .addresses:
      entry.fail(reason: "no addresses", isFinal: true, now: now)
    case .failed(let reason, let isFinal):
      entry.fail(reason: reason, isFinal: isFinal, now: now)
    }
    entries[name] = entry
    return entry.answer != old
  }

  /// Gives up waiting where the first answer is overdue. True if there were such names.
  mutating func expire(_ now: MonotonicTime) -> Bool {
    let overdue = entries.filter { $0.value.due.map { $0 <= now } ?? false }.keys
    for name in overdue {
      entries[name]?.due = nil
      entries[name]?.answer = .failed(reason: "no answer after \(Int(Self.patience)) s")
    }
    return !overdue.isEmpty
  }

  /// When the next of these things has to happen.
  var nextDeadline: MonotonicTime? {
    entries.values.flatMap { [$0.due, $0.isResolving ? nil : $0.next] }.compactMap { $0 }.min()
  }
}

extension NameTable.Entry {
  /// A resolver that is out of reach does not undo what is known; a name that is gone does.
  fileprivate mutating func fail(reason: String, isFinal: Bool, now: MonotonicTime) {
    failures += 1
    let delay = min(NameTable.longestRetry, Double(UInt64(1) << UInt64(min(failures - 1, 6))))
    next = min(next ?? .distantFuture, now + delay)
    if case .addresses = answer, !isFinal { return }
    answer = .failed(reason: reason)
  }
}
