import Foundation

/// Ends the process of an exit test that has gone well, without what is otherwise done at the end of a process.
///
/// Threads that still run have OpenSSL's state of theirs, which a leak checker takes for lost then. Everything else that a
/// sanitizer finds ends the process before.
package func leaveAtOnce() -> Never {
  fflush(nil)
  _exit(EXIT_SUCCESS)
}
