import CLinux
import Foundation
import Testing

@testable import AFTransport

@Suite struct SocketWatchTests {
  /// A socket whose other end the test holds, and an epoll descriptor.
  private final class Pair {
    let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let ours: Int32
    let theirs: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      (ours, theirs) = (ends[0], ends[1])
    }

    /// What epoll reports at once.
    func events() -> [Int32] {
      var events = [epoll_event](repeating: epoll_event(), count: 8)
      let count = epoll_wait(poll, &events, 8, 0)
      return events.prefix(Int(max(0, count))).map { $0.data.fd }
    }
  }

  @Test func `an idle connection stays registered, and is heard again without being put in anew`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    #expect(pair.events() == [])
    watch.watch(pair.ours, for: .reading)
    #expect(send(pair.theirs, "x", 1, 0) == 1)
    #expect(pair.events() == [pair.ours])
    #expect(watch.concerns(pair.ours))
    watch.watch(pair.ours, for: .writing)
    #expect(pair.events() == [pair.ours])
    #expect(watch.close(pair.ours) == 0)
    close(pair.theirs)
    close(pair.poll)
  }

  @Test func `an idle connection that ends is reported once, and can be asked for again`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.opened(pair.ours)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    close(pair.theirs)
    #expect(pair.events() == [pair.ours])
    #expect(!watch.concerns(pair.ours))
    #expect(pair.events() == [])
    watch.watch(pair.ours, for: .reading)
    #expect(pair.events() == [pair.ours])
    #expect(watch.concerns(pair.ours))
    #expect(watch.close(pair.ours) == 0)
    close(pair.poll)
  }

  @Test func `a number that comes back for another connection is watched anew`() throws {
    let first = try Pair()
    let watch = SocketWatch(poll: first.poll)
    watch.opened(first.ours)
    watch.watch(first.ours, for: .reading)
    watch.watch(first.ours, for: [])
    // Another process could have the socket too: the kernel then keeps it registered after it has been closed here.
    let kept = dup(first.ours)
    #expect(watch.close(first.ours) == 0)
    let second = try Pair()
    #expect(dup2(second.ours, first.ours) == first.ours)
    watch.opened(first.ours)
    watch.watch(first.ours, for: .reading)
    #expect(send(first.theirs, "x", 1, 0) == 1)
    #expect(first.events() == [])
    #expect(send(second.theirs, "x", 1, 0) == 1)
    #expect(first.events() == [first.ours])
    #expect(watch.close(first.ours) == 0)
    for descriptor in [first.theirs, first.poll, kept, second.ours, second.theirs, second.poll] { close(descriptor) }
  }

  @Test func `a descriptor that is no connection is dropped when libcurl is done with it`() throws {
    let pair = try Pair()
    let watch = SocketWatch(poll: pair.poll)
    watch.watch(pair.ours, for: .reading)
    watch.watch(pair.ours, for: [])
    #expect(send(pair.theirs, "x", 1, 0) == 1)
    #expect(pair.events() == [])
    for descriptor in [pair.ours, pair.theirs, pair.poll] { close(descriptor) }
  }
}
