import AFSupport

/// The ordered way into an engine's thread, and the only object that two threads share.
///
/// Why not an actor: `start` and `cancel` sent from one thread must arrive in that order, which hopping through tasks does
/// not promise.
final class Mailbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var isOpen = true
    /// What wakes the thread, while there is one.
    var bell: Bell?
    var isWoken = false
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())

  /// Appends a command; false if the engine has stopped and will not see it.
  @discardableResult
  func send(_ command: Command) -> Bool {
    append { _ in (true, command) } != nil
  }

  /// Appends a start command under a new name; nil if the engine has stopped.
  func start(_ request: TransferRequest, _ handler: any TransferHandler) -> TransferID? {
    append { state in
      state.nextID += 1
      let id = TransferID(raw: state.nextID)
      return (id, .start(id, request, handler))
    }
  }

  private func append<Answer: Sendable>(_ make: (inout State) -> (Answer, Command)) -> Answer? {
    let (answer, bell) = state.withLock { state -> (Answer?, Bell?) in
      guard state.isOpen else { return (nil, nil) }
      let (answer, command) = make(&state)
      state.commands.append(command)
      // Once per batch.
      guard !state.isWoken else { return (answer, nil) }
      state.isWoken = state.bell != nil
      return (answer, state.bell)
    }
    // Outside the lock, or the thread would wake up only to wait for it.
    bell?.ring()
    return answer
  }

  /// Whether the engine still takes commands.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  // MARK: The engine's side

  /// From now on a command rings `bell`. What was sent before is found by the next `drain`.
  func attach(_ bell: Bell) {
    state.withLock { $0.bell = bell }
  }

  /// Swaps what has been sent into `commands`, which keeps its capacity.
  func drain(into commands: inout [Command]) {
    commands.removeAll(keepingCapacity: true)
    let empty = commands
    commands = state.withLock { state in
      let sent = state.commands
      state.commands = empty
      state.isWoken = false
      return sent
    }
  }

  /// Closes the mailbox for good and returns what had still been sent.
  func close() -> [Command] {
    state.withLock { state in
      state.isOpen = false
      state.bell = nil
      let left = state.commands
      state.commands = []
      return left
    }
  }

  /// Closes the mailbox if nothing is in it.
  func closeIfEmpty() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.isOpen = false
      state.bell = nil
      return true
    }
  }
}
