import Foundation

/// Memory that cannot be had: by `Scripts/support/failing-malloc.c`, which `Scripts/test` preloads, or by a limit of the process.
package enum FailingMemory {
  private typealias Fail = @convention(c) (Int, Int) -> Void
  private typealias Count = @convention(c) () -> Int

  private static func symbol<Function>(_ name: String, _ type: Function.Type) -> Function? {
    // The default handle: the first object that has the symbol.
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }

  /// Whether allocations can be made to fail. Not without `Scripts/test`, and not beside a sanitizer's allocator.
  package static var isPreloaded: Bool { dlsym(nil, "af_fail_memory") != nil }

  /// Runs `body` while every request for at least so many bytes fails, or only the one of that number.
  package static func run<Result>(
    failing number: Int = 0, from bytes: Int, _ body: () async throws -> Result
  ) async rethrows -> Result {
    guard let fail = symbol("af_fail_memory", Fail.self) else { return try await body() }
    fail(bytes, number)
    defer { fail(.max, 0) }
    return try await body()
  }

  /// How many requests were large enough to count in the last run.
  package static var counted: Int { symbol("af_counted_memory", Count.self).map { $0() } ?? 0 }

  /// Leaves this process so many bytes of address space beyond what it has. To be called in a process of its own.
  package static func limitAddressSpace(more bytes: Int) -> Bool {
    guard let size = ProcessSnapshot.addressSpace else { return false }
    var limit = rlimit()
    limit.rlim_cur = rlim_t(size + bytes)
    limit.rlim_max = rlim_t.max
    return setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
  }
}
