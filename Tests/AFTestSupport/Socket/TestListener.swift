import AFSupport
import Glibc

/// Accepts connections on a loopback port and runs a script for each, on a thread of its own.
///
/// Threads that block keep scripts readable: a script says what happens next, and a delay is a delay. All the servers of
/// this target stand on it.
package final class TestListener: Sendable {
  package let port: UInt16
  package let options: ListenerOptions
  let place: SourcePlace

  private let script: @Sendable (TestConnection) throws -> Void
  private let tls: TLSContext?
  private let threads = ServerThreads()
  private let state: Locked<State>

  private struct State {
    var listener: Int32
    var connections: [SharedConnection] = []
    var failures: [String] = []
    var isStopped = false
  }

  /// Listens from here on.
  package init(
    _ options: ListenerOptions = ListenerOptions(), place: SourcePlace,
    script: @escaping @Sendable (TestConnection) throws -> Void
  ) throws {
    raiseDescriptorLimit()
    let address = try SocketAddress(host: options.host, port: options.port)
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXFailure(call: "socket") }
    do {
      setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
      if let size = options.receiveBuffer { setOption(descriptor, SOL_SOCKET, SO_RCVBUF, size) }
      if let size = options.sendBuffer { setOption(descriptor, SOL_SOCKET, SO_SNDBUF, size) }
      guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
        throw POSIXFailure(call: "bind", path: "\(options.host) port \(options.port)")
      }
      guard listen(descriptor, options.backlog) == 0 else { throw POSIXFailure(call: "listen") }
      port = try SocketAddress.port(of: descriptor)
      tls = try options.tls.map(TLSContext.init)
    } catch {
      close(descriptor)
      throw error
    }
    self.options = options
    self.place = place
    self.script = script
    state = Locked(State(listener: descriptor))
    if options.accepts {
      do {
        try threads.start { self.acceptAll(descriptor) }
      } catch {
        close(descriptor)
        throw error
      }
    }
  }

  /// One record for each connection so far, in the order of their acceptance.
  package var connections: [ConnectionRecord] { state.withLock { $0.connections }.map(\.record) }
  package var acceptCount: Int { state.withLock { $0.connections.count } }
  package var openConnectionCount: Int { connections.count { $0.isOpen } }
  package var failures: [String] { state.withLock { $0.failures } }

  /// Notes that the server itself, or the test's script, went wrong. `stop()` throws it.
  package func fail(_ message: String) {
    state.withLock { $0.failures.append("\(message) [server made at \(place)]") }
  }

  /// Closes every connection, as a server that goes down does; goes on listening.
  package func dropConnections() {
    for connection in state.withLock({ $0.connections }) { connection.interrupt() }
  }

  /// Ends everything and waits for it. May be called more than once; the failures are thrown once.
  package func stop() throws {
    shutDown()
    if !threads.waitForAll(seconds: 10) { fail("a script did not end within 10 s of stop()") }
    let failures = state.withLock { state in
      defer { state.failures = [] }
      return state.failures
    }
    if !failures.isEmpty { throw TestServerFailure(messages: failures) }
  }

  func shutDown() {
    let connections = state.withLock { state -> [SharedConnection] in
      guard !state.isStopped else { return [] }
      state.isStopped = true
      shutdown(state.listener, Int32(SHUT_RDWR))
      if !options.accepts { close(state.listener) }
      return state.connections
    }
    for connection in connections { connection.interrupt() }
  }

  // MARK: The accepting thread

  private func acceptAll(_ listener: Int32) {
    while true {
      let descriptor = accept(listener, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        start(descriptor)
        continue
      }
      let code = errno
      if state.withLock({ $0.isStopped }) { break }
      switch code {
      case EINTR, ECONNABORTED: continue
      default:
        fail("accept: \(String(cString: strerror(code)))")
        // Out of descriptors, most likely: give connections a moment to end.
        poll(nil, 0, 20)
      }
    }
    close(listener)
  }

  private func start(_ descriptor: Int32) {
    setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let shared = state.withLock { state -> SharedConnection? in
      guard !state.isStopped else { return nil }
      let shared = SharedConnection(index: state.connections.count, descriptor: descriptor)
      state.connections.append(shared)
      return shared
    }
    guard let shared else {
      close(descriptor)
      return
    }
    do {
      try threads.start { self.serve(shared, descriptor) }
    } catch {
      fail("\(error)")
      shared.close(.finished)
    }
  }

  private func serve(_ shared: SharedConnection, _ descriptor: Int32) {
    let connection = TestConnection(shared, descriptor: descriptor)
    do {
      if let effect = options.onAccept?(shared.index) { try connection.perform(effect) }
      if let tls { try connection.startTLS(tls) }
      if let effect = options.onHandshake?(shared.index) { try connection.perform(effect) }
      connection.readPace = connection.readPace ?? options.readPace
      try script(connection)
      connection.end(.finished)
    } catch let end as ConnectionEnd {
      if case .misuse(let text) = end { fail(text) }
      connection.end(end)
    } catch {
      fail("\(error)")
      connection.end(.finished)
    }
  }
}

/// What went wrong in a test server: with the server itself, or with the script it was given.
package struct TestServerFailure: Error, CustomStringConvertible {
  package let messages: [String]
  package var description: String { "test server: " + messages.joined(separator: "; ") }
}

private func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
  var value = value
  setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// Lets the process hold as many descriptors as it is allowed to: client and server share one process here.
private func raiseDescriptorLimit() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
    return
  }
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
