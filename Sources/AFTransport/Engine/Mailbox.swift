import AFSupport

/// The ordered way into an engine's thread.
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

    /// Returns what has to be rung, once per batch. Not under a lock: the thread would wake up only to wait for it.
    mutating func append(_ command: Command) -> Bell? {
      commands.append(command)
      guard !isWoken else { return nil }
      isWoken = bell != nil
      return bell
    }
  }

  private let state = Locked(State())

  /// Appends a command; false if the engine has stopped and will not see it.
  @discardableResult
  func send(_ command: Command) -> Bool {
    let (isSent, bell) = state.withLock { state -> (Bool, Bell?) in
      guard state.isOpen else { return (false, nil) }
      return (true, state.append(command))
    }
    bell?.ring()
    return isSent
  }

  /// Appends a start command under a new name. Nil if the engine has stopped; otherwise the name, and what the caller has to ring
  /// once it holds no lock.
  func start(_ request: TransferRequest, _ handler: any TransferHandler) -> (id: TransferID, bell: Bell?)? {
    state.withLock { state in
      guard state.isOpen else { return nil }
      state.nextID += 1
      let id = TransferID(raw: state.nextID)
      return (id, state.append(.start(id, request, handler)))
    }
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
