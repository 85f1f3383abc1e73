import AFSupport
import CBenchmarkPeers
import Foundation

/// What must not be left behind when a run is interrupted: the processes that it has started and the directories it has made.
enum Leftovers {
  private struct State {
    var children: Set<pid_t> = []
    var directories: Set<String> = []
  }

  private static let state = Locked(State())

  static func add(child: pid_t) { state.withLock { _ = $0.children.insert(child) } }
  static func remove(child: pid_t) { state.withLock { _ = $0.children.remove(child) } }
  static func add(directory: String) { state.withLock { _ = $0.directories.insert(directory) } }
  static func remove(directory: String) { state.withLock { _ = $0.directories.remove(directory) } }

  /// From here on SIGINT and SIGTERM end the run with everything cleared away, and with the status that shells give: 130 or 143.
  static func clearWhenInterrupted() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let end = ends[0]
    Thread.detachNewThread {
      var number: UInt8 = 0
      while read(end, &number, 1) != 1 {}
      clear()
      _exit(128 + Int32(number))
    }
    afb_catch_interrupts(ends[1])
  }

  private static func clear() {
    let (children, directories) = state.withLock { ($0.children, $0.directories) }
    // A number may be another process's by now.
    for child in children where ProcessFile.parent(of: child) == getpid() { kill(child, SIGKILL) }
    for directory in directories {
      // Somebody may be making a file there at this moment.
      for _ in 0..<50 where FileManager.default.fileExists(atPath: directory) {
        try? FileManager.default.removeItem(atPath: directory)
      }
    }
  }
}
