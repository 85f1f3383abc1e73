import AFSupport
import Foundation

/// The three descriptors that every process has. Standard output holds nothing but the answer; all else goes to standard error.
enum Console {
  static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
  static let isErrorTerminal = isatty(STDERR_FILENO) == 1

  /// Gives a place to descriptors that the caller has closed, so that no file or socket of ours gets their numbers and is written to
  /// instead. Writing to it fails with `EBADF`, as it would have.
  static func occupyClosedDescriptors() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
      if open("/dev/null", mode) != descriptor { return }
    }
  }

  /// Writes to standard output, whole.
  static func write(_ bytes: some ContiguousBytes) throws(ToolFailure) {
    let code = bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) }
    // Reached only where SIGPIPE is ignored, as under some shells and supervisors: the reader has closed its end.
    if code == EPIPE { exit(128 + SIGPIPE) }
    guard code == 0 else {
      throw ToolFailure(.file, "standard output cannot be written: \(String(cString: strerror(code)))")
    }
  }

  /// Writes a line to standard output.
  static func print(_ text: String) throws(ToolFailure) { try write(Array((text + "\n").utf8)) }

  /// Writes a line to standard error. If that fails, there is no other place to say so.
  static func note(_ text: String) {
    _ = Array((text + "\n").utf8).withUnsafeBytes { write($0, to: STDERR_FILENO) }
  }

  /// - Returns: 0, or the value of `errno`.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        // Another process has made the descriptor non-blocking: wait as if it were not.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// All of standard input, up to `limit` bytes.
  static func readInput(limit: Int = 1 << 30) throws(ToolFailure) -> Data {
    var data = Data()
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &block, block.count)
      if count == 0 { return data }
      if count > 0 { data.append(contentsOf: block[..<count]) }
      if count < 0, errno != EINTR {
        throw ToolFailure(.file, "standard input cannot be read: \(String(cString: strerror(errno)))")
      }
      guard data.count <= limit else {
        throw ToolFailure(
          .file, "standard input is longer than \(limit >> 20) MiB; 'afnet upload' sends it as it comes")
      }
    }
  }
}

/// The process's file mode creation mask, which can be read only by setting it: once, before there are threads.
enum FileMask {
  static let value: mode_t = {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()
}
