import AFSupport
import Dispatch
import Glibc

/// The threads of one server. They are detached; ``waitForAll(seconds:)`` says whether all have ended.
final class ServerThreads: Sendable {
  private let running = Locked(0)
  private let ended = DispatchSemaphore(value: 0)

  /// Runs `body` on a thread of its own, with SIGPIPE blocked: OpenSSL writes without `MSG_NOSIGNAL`.
  func start(_ body: @escaping @Sendable () -> Void) throws {
    running.withLock { $0 += 1 }
    let box = Unmanaged.passRetained(
      Work {
        body()
        self.leave()
      })
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(attributes, 1 << 20)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, attributes,
      { argument in
        guard let argument else { return nil }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.run()
        return nil
      }, box.toOpaque())
    if code != 0 {
      box.release()
      leave()
      throw POSIXFailure(call: "pthread_create", code: code)
    }
  }

  func waitForAll(seconds: Double) -> Bool {
    let deadline = DispatchTime.now() + seconds
    while running.withLock({ $0 > 0 }) {
      guard ended.wait(timeout: deadline) == .success else { return false }
    }
    return true
  }

  private func leave() {
    running.withLock { $0 -= 1 }
    ended.signal()
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    func run() {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      body()
    }
  }
}
