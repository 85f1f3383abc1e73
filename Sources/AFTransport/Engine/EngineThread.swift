import CLinux

/// Threads that say when there are none to be had: Foundation's run nothing then, without a word.
enum EngineThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a thread of its own. False: there is none (RLIMIT_NPROC, pids.max, memory), and `body` never runs.
  @Sendable static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let body = Unmanaged.passRetained(Body(body))
    let result = af_start_thread(
      1 << 20,
      { raw in
        if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    if result != 0 { body.release() }
    return result == 0
  }
}
