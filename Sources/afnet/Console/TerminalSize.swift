import CLinux
import Glibc

/// How large a terminal is.
enum TerminalSize {
  /// The columns of the terminal; nil if the descriptor is none, or it does not say.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
