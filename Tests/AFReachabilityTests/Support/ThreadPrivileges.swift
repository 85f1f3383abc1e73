import AFSupport
import Foundation

/// The rights of a thread, which on Linux are its own.
enum ThreadPrivileges {
  /// Makes the calling thread, and those it starts from now on, somebody who owns nothing (user 65534). There is no way
  /// back.
  static func giveUp() throws {
    // The C library's setresuid(2) would change every thread of the process.
    guard let symbol = dlsym(nil, "syscall") else { throw POSIXFailure(call: "dlsym") }
    let call = unsafeBitCast(symbol, to: (@convention(c) (Int, UInt, UInt, UInt) -> Int).self)
    #if arch(x86_64)
      let setresuid = 117
    #else
      let setresuid = 147
    #endif
    guard call(setresuid, 65_534, 65_534, 65_534) == 0 else { throw POSIXFailure(call: "setresuid") }
  }
}
