internal import Glibc

/// Whether there is room for memory that Swift or Foundation is about to take: they end the process where they get none.
///
/// It is a question and no reservation: other threads may take the room before. So it is asked of what a message from outside
/// makes large, right before, and makes of a process with little memory one that reports errors instead of one that ends.
package enum MemoryRoom {
  /// What is not worth a question, in bytes: every call of a library takes as much.
  package static let small = 1 << 20

  /// Whether so many bytes can be had: within the process's limit on address space (`RLIMIT_AS`), and not more than the machine has.
  package static func has(_ count: Int) -> Bool {
    guard count > small else { return true }
    // A mapping, since the allocator keeps what it was given back, and works differently afterwards.
    let block = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard block != MAP_FAILED else { return false }
    munmap(block, count)
    return true
  }
}
