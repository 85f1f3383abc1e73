import AFSupport
import CCurl
import CLinux
import Glibc

/// A libcurl multi handle driven by epoll: which sockets to watch and when to look again is libcurl's to say.
///
/// Why not `curl_multi_perform`: it visits every transfer each turn, so a thousand parked long polls cost every other
/// request.
final class MultiHandle {
  private let raw: UnsafeMutableRawPointer
  /// Lets the transfers of this handle resume each other's TLS sessions. A share of its own for every handle: a session never
  /// outlives the configuration under which it was accepted, and ``TrustHook`` judges it again (pitfall 21).
  private let share: UnsafeMutableRawPointer
  private let mailbox: Mailbox
  private let poll: Int32
  private let bell: Bell
  let sockets: SocketWatch
  /// When libcurl wants to be let run without a socket's doing.
  private var due = MonotonicTime.distantFuture
  private var events = [epoll_event](repeating: epoll_event(), count: 128)
  private var isClosed = false
  private let idleLimit: Int
  /// Connections that libcurl may have for now, and so keep.
  private var room = 0
  private var limitsHosts = true

  init?(mailbox: Mailbox, configuration: EngineConfiguration) {
    guard let raw = af_curl_multi_init() else { return nil }
    guard let share = curl_share_init() else {
      curl_multi_cleanup(raw)
      return nil
    }
    let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard poll >= 0, let bell = Bell() else {
      curl_multi_cleanup(raw)
      curl_share_cleanup(share)
      if poll >= 0 { Glibc.close(poll) }
      return nil
    }
    self.raw = raw
    idleLimit = configuration.maximumIdleConnections
    self.mailbox = mailbox
    self.poll = poll
    self.bell = bell
    sockets = SocketWatch(poll: poll)
    // Edge-triggered: the bell is never read, so a wake-up costs the thread no system call of its own.
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: bell.descriptor))
    epoll_ctl(poll, EPOLL_CTL_ADD, bell.descriptor, &event)
    self.share = share
    _ = af_curl_share_setopt_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue))
    let user = Unmanaged.passUnretained(self).toOpaque()
    _ = af_curl_multi_setopt_ptr(raw, CURLMOPT_SOCKETDATA, user)
    _ = af_curl_multi_setopt_socket_fn(raw) { easy, socket, what, user, _ in
      guard let user else { return 0 }
      Transfer.of(easy)?.socket = what == CURL_POLL_REMOVE ? nil : socket
      var interest: SocketWatch.Interest = []
      if what == CURL_POLL_IN || what == CURL_POLL_INOUT { interest.insert(.reading) }
      if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { interest.insert(.writing) }
      Unmanaged<MultiHandle>.fromOpaque(user).takeUnretainedValue().sockets.watch(socket, for: interest)
      return 0
    }
    _ = af_curl_multi_setopt_ptr(raw, CURLMOPT_TIMERDATA, user)
    _ = af_curl_multi_setopt_timer_fn(raw) { _, milliseconds, user in
      guard let user else { return 0 }
      let multi = Unmanaged<MultiHandle>.fromOpaque(user).takeUnretainedValue()
      multi.due = milliseconds < 0 ? .distantFuture : .now + Double(milliseconds) / 1000
      return 0
    }
    _ = af_curl_multi_setopt_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    // What goes beyond a server's limit of streams waits, instead of making a connection of its own (pitfall 56).
    _ = af_curl_multi_setopt_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.maximumConnectionsPerHost))
    _ = af_curl_multi_setopt_long(raw, CURLMOPT_MAX_CONCURRENT_STREAMS, configuration.maximumStreamsPerHost)
    mailbox.attach(bell)
  }

  /// Has as many idle connections kept as the configuration says beside those of `count` transfers: libcurl counts both together,
  /// and with many transfers under way would close every other connection after its first request (pitfall 38).
  func makeRoom(for count: Int) {
    // In steps, so that libcurl is seldom told.
    let wanted = idleLimit + (count + 63) / 64 * 64
    guard wanted != room else { return }
    room = wanted
    _ = af_curl_multi_setopt_long(raw, CURLMOPT_MAXCONNECTS, wanted)
  }

  /// Plain requests through a proxy: libcurl counts the connections of all origins together then, and the admission queue alone
  /// has to see to the number.
  func liftHostLimit() {
    guard limitsHosts else { return }
    limitsHosts = false
    _ = af_curl_multi_setopt_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, 0)
  }

  func add(_ easy: EasyHandle) -> Bool {
    if !easy.hasMultiOptions { setOptions(of: easy) }
    guard curl_multi_add_handle(raw, easy.raw) == CURLM_OK else { return false }
    easy.isAdded = true
    return true
  }

  private func setOptions(of easy: EasyHandle) {
    easy.hasMultiOptions = true
    easy.set(CURLOPT_SHARE, pointer: share)
    let user = Unmanaged.passUnretained(sockets).toOpaque()
    easy.set(CURLOPT_OPENSOCKETDATA, pointer: user)
    easy.setOpenSocket { user, _, address in
      guard let user, let address else { return CURL_SOCKET_BAD }
      return Unmanaged<SocketWatch>.fromOpaque(user).takeUnretainedValue().open(address.pointee)
    }
    easy.set(CURLOPT_CLOSESOCKETDATA, pointer: user)
    easy.setCloseSocket { user, socket in
      guard let user else { return Glibc.close(socket) }
      return Unmanaged<SocketWatch>.fromOpaque(user).takeUnretainedValue().close(socket)
    }
  }

  /// Takes a transfer back; nothing is called on its behalf afterwards. Also after its end, and when it was never added.
  func remove(_ easy: EasyHandle) {
    guard easy.isAdded else { return }
    easy.isAdded = false
    curl_multi_remove_handle(raw, easy.raw)
  }

  /// The next transfer that libcurl has ended, with its verdict.
  func nextEnded() -> (UnsafeMutableRawPointer, CURLcode)? {
    let done = af_curl_multi_next_done(raw)
    return done.easy.map { ($0, done.result) }
  }

  /// Lets libcurl do what it wanted to do by now without a socket's doing, such as begin what has been added.
  func runDue() {
    guard due <= .now else { return }
    due = .distantFuture
    var running: Int32 = 0
    curl_multi_socket_action(raw, CURL_SOCKET_BAD, 0, &running)
  }

  /// Waits for a socket, libcurl's own time, the bell, or `moment`; calls `woken`, then lets libcurl work on the sockets.
  func wait(until moment: MonotonicTime, woken: () -> Void) {
    let limit = min(moment, due)
    var timeout: Int32 = -1
    if limit != .distantFuture {
      let seconds = limit - .now
      timeout = seconds <= 0 ? 0 : Int32(min(seconds * 1000, 1e9).rounded(.up))
    }
    let count = epoll_wait(poll, &events, Int32(events.count), timeout)
    woken()
    guard count > 0 else { return }
    var running: Int32 = 0
    for index in 0..<Int(count) {
      let event = events[index]
      guard event.data.fd != bell.descriptor, sockets.concerns(event.data.fd) else { continue }
      var action: Int32 = 0
      if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { action |= CURL_CSELECT_IN }
      if event.events & (EPOLLOUT.rawValue | EPOLLERR.rawValue) != 0 { action |= CURL_CSELECT_OUT }
      curl_multi_socket_action(raw, event.data.fd, action, &running)
    }
  }

  /// Frees everything. Every easy handle has been removed before.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    // Closing kept-alive TLS connections calls back for their sockets, which nobody waits for any more.
    _ = af_curl_multi_setopt_socket_fn(raw, nil)
    _ = af_curl_multi_setopt_timer_fn(raw, nil)
    curl_multi_cleanup(raw)
    curl_share_cleanup(share)
    Glibc.close(poll)
  }

  deinit { close() }
}
