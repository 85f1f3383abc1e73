import AFSupport
import Glibc

/// The part of a connection that other threads may touch: its record, and the means to interrupt it.
final class SharedConnection: Sendable {
  let index: Int
  private let state: Locked<State>

  private struct State {
    var record: ConnectionRecord
    var descriptor: Int32
  }

  init(index: Int, descriptor: Int32) {
    self.index = index
    state = Locked(State(record: ConnectionRecord(index: index, acceptedAt: .now), descriptor: descriptor))
  }

  var record: ConnectionRecord { state.withLock { $0.record } }

  func update(_ change: (inout ConnectionRecord) -> Void) {
    state.withLock { change(&$0.record) }
  }

  /// Wakes the script up wherever it waits; its next call throws.
  func interrupt() {
    // Under the lock, so that the number cannot be another connection's by now.
    state.withLock { state in
      if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
    }
  }

  func close(_ reason: ConnectionEnd) {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      Glibc.close(state.descriptor)
      state.descriptor = -1
      state.record.isOpen = false
      state.record.end = reason
    }
  }
}
