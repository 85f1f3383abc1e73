import AFSupport
import CLinux
import Glibc

/// The ordered way into an engine's thread, and the only object that two threads share.
///
/// Why not an actor: `start` and `cancel` sent from one thread must arrive in that order, which hopping through tasks does
/// not promise.
final class Mailbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var isOpen = true
    /// The event descriptor that wakes the thread, while there is one.
    var bell: Int32 = -1
    var isWoken = false
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())

  /// Appends a command; false if the engine has stopped and will not see it.
  @discardableResult
  func send(_ command: Command) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      state.commands.append(command)
      wake(&state)
      return true
    }
  }

  /// Appends a start command under a new name; nil if the engine has stopped.
  func start(_ request: TransferRequest, _ handler: any TransferHandler) -> TransferID? {
    state.withLock { state in
      guard state.isOpen else { return nil }
      state.nextID += 1
      let id = TransferID(raw: state.nextID)
      state.commands.append(.start(id, request, handler))
      wake(&state)
      return id
    }
  }

  /// Whether the engine still takes commands.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Once per batch, and inside the lock: the descriptor cannot be closed between the check and the call.
  private func wake(_ state: inout State) {
    guard !state.isWoken, state.bell >= 0 else { return }
    state.isWoken = true
    eventfd_write(state.bell, 1)
  }

  // MARK: The engine's side

  /// From now on a command rings `bell`. What was sent before is found by the next `drain`.
  func attach(bell: Int32) {
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

  /// Closes the mailbox for good and returns what had still been sent. After this the bell may be closed.
  func close() -> [Command] {
    state.withLock { state in
      state.isOpen = false
      state.bell = -1
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
      state.bell = -1
      return true
    }
  }
}
