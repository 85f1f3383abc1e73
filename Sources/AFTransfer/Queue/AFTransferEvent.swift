import Foundation

/// Something that happened to a transfer.
public struct AFTransferEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// It got on. Told four times a second at most, and the latest only.
    case progress(AFTransferProgress)
    /// It has another state, which is no end.
    case state(AFTransferState)
    /// It ended. Told again, also after a restart, until it is acknowledged.
    case ended(AFTransferOutcome)
  }

  /// The transfer.
  public let transfer: AFTransfer
  /// What happened.
  public let kind: Kind

  /// Says that the app has taken note of an end: it is not told again. Does nothing for another event.
  /// - Throws: ``AFTransferStoreError``; the end is then told again.
  public func acknowledge() async throws {
    if case .ended = kind { try await transfer.acknowledge() }
  }
}

/// The events of a queue: the ends that the app has not acknowledged first, then what happens. Each loop has its own.
///
/// Memory stays small however slow the loop is: of a transfer's states and of its progress only the latest waits. The sequence ends
/// when the queue is closed, or the loop's task cancelled.
public struct AFTransferEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = AFTransferEvent
  /// No error.
  public typealias Failure = Never

  let hub: EventHub

  /// Reads the events.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription

    init(hub: EventHub) { subscription = Subscription(hub) }

    /// The next event; nil when the queue is closed or the task cancelled.
    public mutating func next() async -> AFTransferEvent? { await subscription.mailbox.next() }
  }

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(hub: hub) }

  private final class Subscription {
    let hub: EventHub
    let mailbox: EventMailbox

    init(_ hub: EventHub) {
      self.hub = hub
      mailbox = hub.subscribe()
    }

    deinit { hub.unsubscribe(mailbox) }
  }
}
