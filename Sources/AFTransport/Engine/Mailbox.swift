import AFSupport
import CCurl

/// The ordered way into an engine's thread, and the only object that two threads share.
///
/// Why not an actor: `start` and `cancel` sent from one thread must arrive in that order, which hopping through tasks does
/// not promise.
final class Mailbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var isOpen = true
    /// The multi handle to wake, as an address, while there is one.
    var multi: UInt = 0
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

  /// Once per batch, and inside the lock: the handle cannot be cleaned up between the check and the call.
  private func wake(_ state: inout State) {
    guard !state.isWoken, let multi = UnsafeMutableRawPointer(bitPattern: state.multi) else { return }
    state.isWoken = true
    curl_multi_wakeup(multi)
  }

  // MARK: The engine's side

  func attach(_ multi: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: multi)
    state.withLock { $0.multi = address }
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

  /// Closes the mailbox for good and returns what had still been sent. After this the multi handle may be freed.
  func close() -> [Command] {
    state.withLock { state in
      state.isOpen = false
      state.multi = 0
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
      state.multi = 0
      return true
    }
  }
}
