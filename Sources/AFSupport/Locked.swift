package import Glibc

/// A value that is only reachable while its lock is held.
///
/// The call shape is that of `Synchronization.Mutex`, so that a later swap is mechanical. Why not `Mutex`: on Linux it is
/// built on a futex that ThreadSanitizer cannot see, which then reports races in correct code. A `pthread_mutex_t` costs the
/// same and is seen.
///
/// Three rules keep it free of deadlocks: never call out while it is held, never release what may be the app's, and never hold
/// two.
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
  // Unchecked because the compiler cannot know that `value` is only touched between lock and unlock.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  @inlinable
  package init(_ initial: consuming sending Value) {
    // One block for both: the mutex, then the value.
    let alignment = MemoryLayout<Value>.alignment
    let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: offset + MemoryLayout<Value>.size, alignment: max(alignment, MemoryLayout<pthread_mutex_t>.alignment))
    mutex = block.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
    value = (block + offset).initializeMemory(as: Value.self, to: initial)
    pthread_mutex_init(mutex, nil)
  }

  @inlinable
  deinit {
    pthread_mutex_destroy(mutex)
    value.deinitialize(count: 1)
    UnsafeMutableRawPointer(mutex).deallocate()
  }

  /// Runs `body` with the lock held and returns what it returns.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }

  /// The same, and what `body` replaces is released after the lock is: it may hold an object of the app, whose deinitializer may
  /// come back to this very lock. For what changes seldom, since the value is copied.
  @inlinable
  package borrowing func change<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    let old = value.pointee
    let outcome: Swift.Result<Result, Failure>
    do throws(Failure) {
      outcome = .success(try body(&value.pointee))
    } catch {
      outcome = .failure(error)
    }
    pthread_mutex_unlock(mutex)
    withExtendedLifetime(old) {}
    return try outcome.get()
  }
}
