import CLinux
import Glibc

/// The sockets that epoll watches for libcurl.
///
/// libcurl takes its interest in a connection back when a transfer ends and asks for it again with the next. A connection's socket stays
/// registered meanwhile, which saves every request two system calls. For that its opening and its closing must be known:
/// a number that was closed may come back for something else. Other descriptors of libcurl's (the resolver's) are dropped at once.
final class SocketWatch {
  /// What there is to hear of a socket.
  struct Interest: OptionSet {
    let rawValue: UInt32
    static let reading = Interest(rawValue: EPOLLIN.rawValue)
    static let writing = Interest(rawValue: EPOLLOUT.rawValue)
  }

  private struct Entry {
    /// Whether this is a connection, whose end will be told.
    var isConnection = false
    /// Empty while libcurl does not care.
    var wanted: Interest = []
    /// What epoll is set to; empty while it does not have the socket.
    var registered: Interest = []
  }

  private let poll: Int32
  private var entries: [Int32: Entry] = [:]

  init(poll: Int32) {
    self.poll = poll
  }

  /// A connection begins.
  func opened(_ socket: Int32) {
    entries[socket] = Entry(isConnection: true)
    // libcurl does not do it, and a program that this process starts has no business with the connection.
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
  }

  /// A connection ends; closes its socket.
  func close(_ socket: Int32) -> Int32 {
    // The kernel forgets a closed descriptor by itself only if no other process has it.
    if let entry = entries.removeValue(forKey: socket), !entry.registered.isEmpty { unregister(socket) }
    return Glibc.close(socket)
  }

  /// libcurl says what it wants to hear of; nothing, when it is done with the socket for now or for good.
  func watch(_ socket: Int32, for interest: Interest) {
    var entry = entries[socket] ?? Entry()
    guard !interest.isEmpty || entry.isConnection else {
      entries[socket] = nil
      return unregister(socket)
    }
    entry.wanted = interest
    if !interest.isEmpty, entry.registered != interest {
      var event = epoll_event(events: interest.rawValue, data: epoll_data_t(fd: socket))
      epoll_ctl(poll, entry.registered.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event)
      entry.registered = interest
    }
    entries[socket] = entry
  }

  /// Whether libcurl wants to hear of something that has happened. If not, the idle connection is not watched any longer: it has
  /// probably ended, and epoll would say so again and again.
  func concerns(_ socket: Int32) -> Bool {
    guard var entry = entries[socket] else { return true }
    guard entry.wanted.isEmpty else { return true }
    unregister(socket)
    entry.registered = []
    entries[socket] = entry
    return false
  }

  private func unregister(_ socket: Int32) {
    epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil)
  }
}
