import Dispatch

/// Runs tasks on a dispatch queue instead of Swift's own few threads.
///
/// A body may be read by someone who blocks one of those threads in `InputStream.read`. If all of them did, a task that
/// has to run there to make the next bytes never would.
package final class QueueExecutor: TaskExecutor {
  package static let shared = QueueExecutor()
  private let queue = DispatchQueue(label: "AFNetworking.QueueExecutor", attributes: .concurrent)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
