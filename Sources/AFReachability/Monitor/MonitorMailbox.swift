import AFSupport
import Glibc

/// One party's wish to be told about a target. `receive` is called on the monitor's thread and must return at once.
package struct MonitorRegistration: Sendable {
  package enum Report: Sendable {
    case state(AFReachabilityState)
    /// `deadline` has passed; the last state, if there was one.
    case expired(AFReachabilityState?)
  }

  package let id: UInt64
  let target: AFReachabilityTarget
  /// How long a change must have lasted to be told, in seconds.
  let debounce: Double
  let deadline: MonotonicTime?
  let receive: @Sendable (Report) -> Void
}

/// The letters to the monitor's thread, and the pair of sockets that wakes it up.
final class MonitorMailbox: Sendable {
  enum Letter: Sendable {
    case add(MonitorRegistration)
    case remove(UInt64)
    case resolved(name: String, NameResolution)
  }

  private struct State {
    var letters: [Letter] = []
    var isOpen = false
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
  }

  private let state = Locked(State())

  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Puts a letter in. True if nobody reads them: a thread has to be started.
  func send(_ letter: Letter) -> Bool {
    state.withLock { state in
      state.letters.append(letter)
      guard state.isOpen else {
        // An answer or a farewell that nobody waits for any more.
        guard case .add = letter else {
          state.letters.removeAll()
          return false
        }
        state.isOpen = true
        return true
      }
      if state.letters.count == 1, state.writeEnd >= 0 {
        var byte: UInt8 = 1
        _ = write(state.writeEnd, &byte, 1)
      }
      return false
    }
  }

  /// Opens the pair, on the reader's thread. The descriptor to wait on, or -1 if the process has none left.
  func openDoorbell() -> Int32 {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return -1 }
    state.withLock { state in
      state.readEnd = ends[0]
      state.writeEnd = ends[1]
    }
    return ends[0]
  }

  /// Takes all letters out.
  func take() -> [Letter] {
    state.withLock { state in
      var bytes: (UInt64, UInt64) = (0, 0)
      while state.readEnd >= 0, read(state.readEnd, &bytes, 16) > 0 {}
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// Closes the mailbox unless there are letters. True if the reader may go.
  func closeIfEmpty() -> Bool {
    state.withLock { state in
      guard state.letters.isEmpty else { return false }
      for end in [state.readEnd, state.writeEnd] where end >= 0 { close(end) }
      state.readEnd = -1
      state.writeEnd = -1
      state.isOpen = false
      return true
    }
  }
}
