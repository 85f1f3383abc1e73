import CCurl
import CLinux
import Glibc

/// The sockets that epoll watches for libcurl.
///
/// libcurl takes its interest in a connection back when a transfer ends and asks for it again with the next. The connection's
/// socket stays registered meanwhile, which saves every request two system calls. For that its end must be known: a number that
/// was closed may come back for something else. Whatever libcurl may close without a word is dropped as soon as it says so.
final class SocketWatch {
  /// What there is to hear of a socket.
  struct Interest: OptionSet {
    let rawValue: UInt32
    static let reading = Interest(rawValue: EPOLLIN.rawValue)
    static let writing = Interest(rawValue: EPOLLOUT.rawValue)
  }

  private struct Entry {
    /// Whether this is a connection, made or still to be made.
    var isConnection = false
    /// Whether the connection stands, so that libcurl has it closed here. One that loses the race to connect, or is given up
    /// before it has connected, is closed silently (pitfall 44).
    var isMade = false
    /// The connection's own port, once it stands; 0 where there is none.
    var localPort: UInt16 = 0
    /// Empty while libcurl does not care.
    var wanted: Interest = []
    /// What epoll is set to; empty while it does not have the socket.
    var registered: Interest = []
  }

  private let poll: Int32
  private var entries: [Int32: Entry] = [:]
  /// The connections that stand, by their own port. Two may have the same port, to different servers.
  private var socketsByPort: [UInt16: [Int32]] = [:]

  init(poll: Int32) {
    self.poll = poll
  }

  /// Opens the socket of a connection to be; −1 if there is none to be had. Programs that this process starts do not inherit it.
  func open(_ address: curl_sockaddr) -> Int32 {
    let socket = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    if socket >= 0 { opened(socket) }
    return socket
  }

  /// A connection is to be made. What had this number before, if anything, is closed.
  func opened(_ socket: Int32) {
    let wanted = entries[socket]?.wanted ?? []
    forgetPort(of: socket)
    entries[socket] = Entry(isConnection: true)
    // Where libcurl closes a number and gets it again at once, it does not mention it.
    if !wanted.isEmpty { watch(socket, for: wanted) }
  }

  /// A connection ends; closes its socket.
  func close(_ socket: Int32) -> Int32 {
    // The kernel forgets a closed descriptor by itself only if no other process has it.
    forgetPort(of: socket)
    if let entry = entries.removeValue(forKey: socket), !entry.registered.isEmpty { unregister(socket) }
    return Glibc.close(socket)
  }

  /// libcurl says what it wants to hear of; nothing, when it is done with the socket for now or for good.
  func watch(_ socket: Int32, for interest: Interest) {
    var entry = entries[socket] ?? Entry()
    guard !interest.isEmpty || entry.isMade else {
      entries[socket] = nil
      return unregister(socket)
    }
    entry.wanted = interest
    // A socket that is still connecting is only ever asked whether it can be written to.
    if interest.contains(.reading), entry.isConnection, !entry.isMade {
      entry.isMade = true
      entry.localPort = af_local_port(socket)
      if entry.localPort != 0 { socketsByPort[entry.localPort, default: []].append(socket) }
    }
    if !interest.isEmpty, entry.registered != interest {
      entry.registered = register(socket, interest, isKnown: !entry.registered.isEmpty) ? interest : []
    }
    entries[socket] = entry
  }

  /// Whether libcurl wants to hear of something that has happened. If not, the socket is not watched until it does, or epoll would
  /// say so again and again: an idle connection has ended, or bytes wait for a transfer that takes none at present.
  func concerns(_ socket: Int32) -> Bool {
    guard var entry = entries[socket] else { return true }
    guard entry.wanted.isEmpty else { return true }
    unregister(socket)
    entry.registered = []
    entries[socket] = entry
    return false
  }

  /// Whether something has come on the connection with this port, or it has ended. Asked of one that has no request under way.
  ///
  /// libcurl does not say which socket it has chosen. Should two connections have the port, both must be silent.
  func hasInput(localPort: Int32) -> Bool {
    guard let port = UInt16(exactly: localPort), let sockets = socketsByPort[port] else { return false }
    return sockets.contains(where: Self.hasInput)
  }

  private static func hasInput(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
  }

  private func forgetPort(of socket: Int32) {
    guard let port = entries[socket]?.localPort, port != 0 else { return }
    socketsByPort[port]?.removeAll { $0 == socket }
    if socketsByPort[port]?.isEmpty == true { socketsByPort[port] = nil }
  }

  private func register(_ socket: Int32, _ interest: Interest, isKnown: Bool) -> Bool {
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(fd: socket))
    if isKnown, epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0 { return true }
    return epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0
  }

  private func unregister(_ socket: Int32) {
    epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil)
  }
}
