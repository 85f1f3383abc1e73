import Foundation
import Glibc

/// Runs the closure on a thread that has no rights on files but those of "other", also when the tests run as root.
func asNobody<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
  let box = ResultBox<Result>()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    // The ids that files are judged by belong to the thread, not to the process.
    let isRoot = geteuid() == 0
    if isRoot { setFileSystemUser(65534) }
    box.value = body()
    if isRoot { setFileSystemUser(0) }
    done.signal()
  }
  thread.start()
  done.wait()
  return box.value
}

/// `setfsuid`, which Swift's Glibc module leaves out.
private func setFileSystemUser(_ user: UInt32) {
  typealias Function = @convention(c) (UInt32) -> Int32
  guard let symbol = dlsym(nil, "setfsuid") else { return }
  _ = unsafeBitCast(symbol, to: Function.self)(user)
}

private final class ResultBox<Value>: @unchecked Sendable {
  // Unchecked because the compiler does not see that the semaphore orders the write before the read.
  var value: Value?
}
