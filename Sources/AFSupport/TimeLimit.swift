import Dispatch

/// Calls a closure once a time is up, on a global queue, unless it is cancelled or dropped before.
///
/// Nothing of it is left then. What `asyncAfter` is given stays until its time, needed or not: a thousand questions a second,
/// each answered at once, would be sixty thousand waiting timers.
package final class TimeLimit: Sendable {
  // Unsafe because a dispatch source is not declared Sendable; it may be used from any thread, and is only ever cancelled here.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  package init(seconds: Double, _ late: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + seconds)
    timer.setEventHandler(handler: late)
    timer.activate()
  }

  deinit { timer.cancel() }

  package func cancel() { timer.cancel() }
}
