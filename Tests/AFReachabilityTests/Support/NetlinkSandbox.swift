import AFSupport
import AFTestSupport
import Foundation

/// A thread that may not open netlink sockets, as in a strict container; the threads it starts may not either.
enum NetlinkSandbox {
  /// Runs `body` on such a thread.
  /// - Throws: ``POSIXFailure`` where the kernel has no seccomp filters.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread {
        guard refuseNetlink() else { return continuation.resume(throwing: POSIXFailure(call: "seccomp")) }
        continuation.resume(returning: body())
      }.start()
    }
  }

  private static func refuseNetlink() -> Bool {
    // Glibc's module leaves prctl(2) out, since it takes any number of arguments.
    guard let symbol = dlsym(nil, "prctl") else { return false }
    let prctl = unsafeBitCast(
      symbol, to: (@convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32).self
    )
    #if arch(x86_64)
      let socketCall: UInt32 = 41
    #else
      let socketCall: UInt32 = 198
    #endif
    // struct sock_filter: code, jump if true, jump if false, operand.
    let program: [(UInt16, UInt8, UInt8, UInt32)] = [
      (0x20, 0, 0, 0),  // load the call's number
      (0x15, 0, 3, socketCall),  // not socket(): allow
      (0x20, 0, 0, 16),  // load the first argument
      (0x15, 0, 1, 16),  // not AF_NETLINK: allow
      (0x06, 0, 0, 0x0005_0000 | UInt32(EPERM)),  // fail with EPERM
      (0x06, 0, 0, 0x7fff_0000),  // allow
    ]
    var filters: [UInt8] = []
    for (code, yes, no, operand) in program {
      withUnsafeBytes(of: code) { filters.append(contentsOf: $0) }
      filters += [yes, no]
      withUnsafeBytes(of: operand) { filters.append(contentsOf: $0) }
    }
    return filters.withUnsafeBytes { filters in
      // struct sock_fprog: the number of filters, then, aligned, where they are.
      var header = (UInt(program.count), UInt(bitPattern: filters.baseAddress))
      return withUnsafePointer(to: &header) { header in
        prctl(38, 1, 0, 0, 0) == 0  // PR_SET_NO_NEW_PRIVS
          && prctl(22, 2, UInt(bitPattern: header), 0, 0) == 0  // PR_SET_SECCOMP, SECCOMP_MODE_FILTER
      }
    }
  }
}
