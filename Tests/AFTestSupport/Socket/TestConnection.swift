import AFSupport
import COpenSSL
import Foundation
import Glibc

/// `POLLRDHUP`, which the Glibc module leaves out: the peer has closed its side, whatever is still unread.
private let pollPeerClosed: Int16 = 0x2000

/// One accepted connection, as the script that serves it sees it: blocking calls on a thread of its own.
///
/// Everything that fails throws a ``ConnectionEnd``; let it pass through.
package final class TestConnection {
  package let index: Int
  /// The server's place, for failures.
  let shared: SharedConnection
  let descriptor: Int32
  var ssl: OpaquePointer?
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var isClosed = false
  /// At most so many bytes per read, each followed by so many seconds of rest.
  package var readPace: (bytes: Int, every: Double)?

  init(_ shared: SharedConnection, descriptor: Int32) {
    self.shared = shared
    self.descriptor = descriptor
    index = shared.index
    buffer = .allocate(byteCount: 64 << 10, alignment: 16)
  }

  deinit {
    end(.finished)
    buffer.deallocate()
  }

  // MARK: Reading

  /// The bytes that have arrived and have not been consumed.
  var buffered: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

  func consume(_ count: Int) {
    start += count
    if start == end { (start, end) = (0, 0) }
  }

  /// Waits for more bytes and adds them to ``buffered``. Returns false at the end of what the peer sends.
  func fill() throws -> Bool {
    if end == buffer.count {
      if start > 0 {
        buffer.copyMemory(from: buffered)
        (start, end) = (0, end - start)
      } else {
        grow()
      }
    }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    let count = try receive(into: room)
    end += count
    return count > 0
  }

  /// Makes the next reads as large as `capacity`, for long bodies.
  func grow(to capacity: Int? = nil) {
    let capacity = capacity ?? buffer.count * 2
    guard capacity > buffer.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: buffered)
    (start, end) = (0, end - start)
    buffer.deallocate()
    buffer = larger
  }

  /// Up to `count` bytes, as soon as there are any; empty at the end.
  package func read(upTo count: Int = .max) throws -> [UInt8] {
    if start == end { guard try fill() else { return [] } }
    let bytes = Array(buffered.prefix(count))
    consume(bytes.count)
    return bytes
  }

  /// Exactly `count` bytes.
  package func read(exactly count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try read(upTo: count - bytes.count)
      if more.isEmpty { throw ConnectionEnd.peerClosed }
      bytes += more
    }
    return bytes
  }

  /// Everything up to and with `delimiter`, or nil when the peer has closed without sending a byte more.
  package func read(through delimiter: String, limit: Int = 1 << 20) throws -> [UInt8]? {
    var searched = 0
    while true {
      if let count = buffered.count(through: delimiter, from: searched) {
        let bytes = Array(buffered[..<count])
        consume(count)
        return bytes
      }
      searched = max(0, buffered.count - delimiter.utf8.count)
      if end - start > limit { throw ConnectionEnd.misuse("no \(delimiter.debugDescription) within \(limit) bytes") }
      if try !fill() {
        if start == end { return nil }
        throw ConnectionEnd.peerClosed
      }
    }
  }

  private func receive(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    var wanted = min(room.count, 1 << 30)
    if let readPace {
      wanted = min(wanted, readPace.bytes)
      try wait(readPace.every)
    }
    var count: Int
    if let ssl {
      ERR_clear_error()
      count = Int(SSL_read(ssl, room.baseAddress, Int32(wanted)))
      if count <= 0 { count = try ended(ssl, Int32(count)) }
      countWireBytes(ssl)
    } else {
      repeat { count = recv(descriptor, room.baseAddress, wanted, 0) } while count < 0 && errno == EINTR
      if count < 0 { throw ConnectionEnd.broken(errno: errno) }
      shared.update { $0.wireBytesReceived += Int64(count) }
    }
    shared.update { $0.bytesReceived += Int64(count) }
    return count
  }

  // MARK: Writing

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try send($0) } }

  package func send(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      var count: Int
      if let ssl {
        ERR_clear_error()
        count = Int(SSL_write(ssl, rest.baseAddress, Int32(min(rest.count, 1 << 20))))
        countWireBytes(ssl)
        if count <= 0 {
          _ = try ended(ssl, Int32(count))
          throw ConnectionEnd.peerClosed
        }
      } else {
        count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        if count < 0 { throw ConnectionEnd.broken(errno: errno) }
        let sent = Int64(count)
        shared.update { $0.wireBytesSent += sent }
      }
      let sent = Int64(count)
      shared.update { $0.bytesSent += sent }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  // MARK: Time

  /// Does nothing for so long; ends early, by throwing, when the peer goes away.
  package func wait(_ seconds: Double) throws {
    let deadline = MonotonicTime.now + seconds
    while true {
      let left = deadline - .now
      guard left > 0 else { return }
      var entry = pollfd(fd: descriptor, events: pollPeerClosed, revents: 0)
      if poll(&entry, 1, Int32(min(left * 1000 + 1, 1e9))) > 0 { throw ConnectionEnd.peerClosed }
    }
  }

  /// Whether bytes, or the peer's end, came within so many seconds.
  func waitForBytes(_ seconds: Double) throws -> Bool {
    if hasPending { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(min(seconds * 1000 + 1, 1e9))) > 0
  }

  enum Side { case this, other }

  /// Waits until one of the two can be read from.
  func waitForEither(_ other: TestConnection) throws -> Side {
    if hasPending { return .this }
    if other.hasPending { return .other }
    var entries = [self, other].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while poll(&entries, 2, -1) <= 0 {}
    return entries[0].revents != 0 ? .this : .other
  }

  private var hasPending: Bool {
    if start < end { return true }
    return ssl.map { SSL_pending($0) > 0 } ?? false
  }

  /// Neither reads nor writes until the peer goes away or the server stops.
  package func stall() throws -> Never {
    while true { try wait(3600) }
  }

  /// Waits until the test opens `latch`; ends early, by throwing, when the peer goes away.
  package func wait(for latch: Latch) throws {
    while true {
      var entries = [
        pollfd(fd: latch.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: pollPeerClosed, revents: 0),
      ]
      guard poll(&entries, 2, -1) > 0 else { continue }
      if entries[0].revents != 0 { return }
      throw ConnectionEnd.peerClosed
    }
  }

  // MARK: Ending

  /// Says that nothing more will be sent (FIN, under TLS a close alert before it); reading goes on.
  package func finishSending() {
    if let ssl { SSL_shutdown(ssl) }
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes in order. With bytes unread the kernel makes a reset of it.
  package func close() throws -> Never {
    if let ssl, !isClosed { SSL_shutdown(ssl) }
    end(.finished)
    throw ConnectionEnd.finished
  }

  /// Closes without the TLS close alert, as a process that dies does.
  package func abandon() throws -> Never {
    end(.finished)
    throw ConnectionEnd.finished
  }

  /// Resets the connection (RST).
  package func reset() throws -> Never {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    try abandon()
  }

  func end(_ reason: ConnectionEnd) {
    guard !isClosed else { return }
    isClosed = true
    if let ssl {
      SSL_free(ssl)
      self.ssl = nil
    }
    shared.close(reason)
  }
}

extension UnsafeRawBufferPointer {
  /// The number of bytes up to and with the first `delimiter`, or nil where there is none.
  func count(through delimiter: String, from start: Int) -> Int? {
    let wanted = Array(delimiter.utf8)
    guard let base = baseAddress, let last = wanted.last else { return nil }
    var position = start
    // The C function, since these loops are hot in builds without optimization.
    while position < count, let found = memchr(base + position, Int32(last), count - position) {
      position = base.distance(to: found) + 1
      if position >= wanted.count, memcmp(base + position - wanted.count, wanted, wanted.count) == 0 { return position }
    }
    return nil
  }
}
