import CLinux
import Foundation
import Testing

@testable import AFTransport

@Suite(.serialized) struct SocketWatchTests {
  /// A socket whose other end the test holds, and an epoll descriptor. Their numbers are so high that nobody else is given one
  /// which the test has closed.
  private final class Pair {
    let poll: Int32
    let ours: Int32
    let theirs: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let high = Int32(min(limit.rlim_cur, 1 << 16)) - 64
      let numbers = [epoll_create1(Int32(EPOLL_CLOEXEC)), ends[0], ends[1]].map { descriptor in
        defer { close(descriptor) }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, high)
      }
      (poll, ours, theirs) = (numbers[0], numbers[1], numbers[2])
      try #require(numbers.allSatisfy { $0 >= high })
    }

    /// Another socket, under the number of ours, and its other end.
    func replace() throws -> Int32 {
      var ends: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      try #require(dup2(ends[0], ours) == ours)
      close(ends[0])
      return ends[1]
    }

    /// What epoll reports at once.
    func events() -> [Int32] {
      var events = [epoll_event](repeating: epoll_event(), count: 8)
      let count = epoll_wait(poll, &events, 8, 0)
      return events.prefix(Int(max(0, count))).map { $0.data.fd }
    }

    deinit { for descriptor in [poll, ours, theirs] { close(descriptor) } }
  }

  @Test func `an idle connection stays registered, and is heard again without being put in anew`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .writing)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    // Taken out behind its back: whatever is heard now has not been put in again.
    epoll_ctl(pair.poll, EPOLL_CTL_DEL, pair.ours, nil)
    watch.watch(pair.ours, for: .reading)
    #expect(send(pair.theirs, "x", 1, 0) == 1)
    #expect(pair.events() == [])
    watch.watch(pair.ours, for: .writing)
    #expect(pair.events() == [pair.ours])
    #expect(watch.concerns(pair.ours))
    #expect(watch.close(pair.ours) == 0)
    #expect(fcntl(pair.ours, F_GETFD) == -1)
  }

  @Test func `an idle connection that ends is reported once, and can be asked for again`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    shutdown(pair.theirs, Int32(SHUT_RDWR))
    #expect(pair.events() == [pair.ours])
    #expect(!watch.concerns(pair.ours))
    #expect(pair.events() == [])
    watch.watch(pair.ours, for: .reading)
    #expect(pair.events() == [pair.ours])
    #expect(watch.concerns(pair.ours))
  }

  @Test func `a number that comes back for another connection is watched anew`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    // Another process could have the socket too: the kernel then keeps it registered after it has been closed here.
    let kept = dup(pair.ours)
    #expect(watch.close(pair.ours) == 0)
    let other = try pair.replace()
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .reading)
    #expect(send(pair.theirs, "x", 1, 0) == 1)
    #expect(pair.events() == [])
    #expect(send(other, "x", 1, 0) == 1)
    #expect(pair.events() == [pair.ours])
    for descriptor in [kept, other] { close(descriptor) }
  }

  @Test func `pitfall 44: what is closed without a word before it has connected is forgotten`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .writing)
    // The number now is the resolver's, and of that the watch hears only what libcurl wants of it.
    let other = try pair.replace()
    watch.watch(pair.ours, for: [])
    for _ in 0..<2 {
      watch.watch(pair.ours, for: .reading)
      #expect(send(other, "x", 1, 0) == 1)
      #expect(pair.events() == [pair.ours])
      watch.watch(pair.ours, for: [])
      #expect(pair.events() == [])
    }
    close(other)
  }

  @Test func `pitfall 44: a number that is closed and opened again in one go is watched`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .writing)
    let other = try pair.replace()
    watch.opened(pair.ours)
    #expect(pair.events() == [pair.ours])
    close(other)
  }

  @Test func `a descriptor that is no connection is dropped when libcurl is done with it`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    #expect(send(pair.theirs, "x", 1, 0) == 1)
    #expect(pair.events() == [])
  }

  @Test func `what epoll does not take is offered again`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    let away = dup(pair.ours)
    close(pair.ours)
    watch.watch(pair.ours, for: .writing)
    try #require(dup2(away, pair.ours) == pair.ours)
    watch.watch(pair.ours, for: .writing)
    #expect(pair.events() == [pair.ours])
    close(away)
  }
}
