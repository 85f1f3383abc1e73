import CCurl
import CLinux
import Glibc

/// The sockets that epoll watches for libcurl.
///
/// libcurl takes its interest in a connection back when a transfer ends and asks for it again with the next. A connection's socket stays
/// registered meanwhile, which saves every request two system calls. For that its opening and its closing must be known:
/// a number that was closed may come back for something else. Other descriptors of libcurl's (the resolver's) are dropped at once.
final class SocketWatch {
  private struct Entry {
    /// Whether this is a connection, whose end will be told.
    var isConnection = false
    /// What libcurl wants to hear of; 0 while it does not care.
    var wanted: UInt32 = 0
    /// What epoll is set to; 0 while it does not have the socket.
    var registered: UInt32 = 0
  }

  private let poll: Int32
  private var entries: [curl_socket_t: Entry] = [:]

  init(poll: Int32) {
    self.poll = poll
  }

  /// A connection begins.
  func opened(_ socket: curl_socket_t) {
    entries[socket] = Entry(isConnection: true)
    // libcurl does not do it, and a program that this process starts has no business with the connection.
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
  }

  /// A connection ends; closes its socket.
  func close(_ socket: curl_socket_t) -> Int32 {
    // The kernel forgets a closed descriptor by itself only if no other process has it.
    if let entry = entries.removeValue(forKey: socket), entry.registered != 0 { unregister(socket) }
    return Glibc.close(socket)
  }

  /// libcurl says what it wants to hear of: one of `CURL_POLL_…`.
  func watch(_ socket: curl_socket_t, _ what: Int32) {
    var entry = entries[socket] ?? Entry()
    guard what != CURL_POLL_REMOVE else {
      if entry.isConnection {
        entry.wanted = 0
        entries[socket] = entry
      } else {
        entries[socket] = nil
        unregister(socket)
      }
      return
    }
    entry.wanted = 0
    if what & CURL_POLL_IN != 0 { entry.wanted |= EPOLLIN.rawValue }
    if what & CURL_POLL_OUT != 0 { entry.wanted |= EPOLLOUT.rawValue }
    if entry.registered != entry.wanted {
      var event = epoll_event(events: entry.wanted, data: epoll_data_t(fd: socket))
      epoll_ctl(poll, entry.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event)
      entry.registered = entry.wanted
    }
    entries[socket] = entry
  }

  /// Whether libcurl wants to hear of something that has happened. If not, the idle connection is not watched any longer: it has
  /// probably ended, and epoll would say so again and again.
  func concerns(_ socket: curl_socket_t) -> Bool {
    guard var entry = entries[socket] else { return true }
    guard entry.wanted == 0 else { return true }
    unregister(socket)
    entry.registered = 0
    entries[socket] = entry
    return false
  }

  private func unregister(_ socket: curl_socket_t) {
    epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil)
  }
}
