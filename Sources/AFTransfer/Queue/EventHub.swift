import AFSupport
import Foundation

/// One subscriber's events. Of each transfer it holds the latest state and the latest progress at most, so a slow reader costs no
/// memory; ends are all held.
final class EventMailbox: Sendable {
  enum Slot: Hashable, Sendable {
    case progress(UUID), state(UUID), ended(UUID)
  }

  private struct State {
    var order: [Slot] = []
    var events: [Slot: AFTransferEvent] = [:]
    var first = 0
    var waiter: CheckedContinuation<AFTransferEvent?, Never>?
    var isClosed = false
  }

  private let state = Locked(State())

  func put(_ slot: Slot, _ event: AFTransferEvent) {
    let waiter = state.withLock { state -> CheckedContinuation<AFTransferEvent?, Never>? in
      guard !state.isClosed else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      if state.events.updateValue(event, forKey: slot) == nil { state.order.append(slot) }
      return nil
    }
    waiter?.resume(returning: event)
  }

  func next() async -> AFTransferEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isNow, event) = state.withLock { state -> (Bool, AFTransferEvent?) in
          if let event = Self.take(&state) { return (true, event) }
          if state.isClosed || state.waiter != nil { return (true, nil) }
          state.waiter = continuation
          return (false, nil)
        }
        if isNow { continuation.resume(returning: event) }
      }
    } onCancel: {
      close()
    }
  }

  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  private static func take(_ state: inout State) -> AFTransferEvent? {
    while state.first < state.order.count {
      let slot = state.order[state.first]
      state.first += 1
      if state.first > 1000, state.first * 2 > state.order.count {
        state.order.removeFirst(state.first)
        state.first = 0
      }
      if let event = state.events.removeValue(forKey: slot) { return event }
    }
    state.order = []
    state.first = 0
    return nil
  }
}

/// Tells all subscribers, and a new one first the ends that the app has not acknowledged.
final class EventHub: Sendable {
  private struct State {
    var mailboxes: [ObjectIdentifier: EventMailbox] = [:]
    var endings: [UUID: (order: Int, event: AFTransferEvent)] = [:]
    var count = 0
    var isClosed = false
  }

  private let state = Locked(State())

  func subscribe() -> EventMailbox {
    let mailbox = EventMailbox()
    let (endings, isClosed) = state.withLock { state in
      state.mailboxes[ObjectIdentifier(mailbox)] = mailbox
      return (state.endings.values.sorted { $0.order < $1.order }.map(\.event), state.isClosed)
    }
    // An end that comes between is told twice at most: once by `tell`, once here. Ends of one transfer share a slot.
    for event in endings { mailbox.put(.ended(event.transfer.id), event) }
    if isClosed { mailbox.close() }
    return mailbox
  }

  func unsubscribe(_ mailbox: EventMailbox) {
    state.withLock { $0.mailboxes[ObjectIdentifier(mailbox)] = nil }
    mailbox.close()
  }

  func tell(_ event: AFTransferEvent) {
    let mailboxes = state.withLock { state in
      if case .ended = event.kind {
        state.count += 1
        state.endings[event.transfer.id] = (state.count, event)
      }
      return Array(state.mailboxes.values)
    }
    let slot: EventMailbox.Slot =
      switch event.kind {
      case .progress: .progress(event.transfer.id)
      case .state: .state(event.transfer.id)
      case .ended: .ended(event.transfer.id)
      }
    for mailbox in mailboxes { mailbox.put(slot, event) }
  }

  func acknowledge(_ id: UUID) {
    state.withLock { _ = $0.endings.removeValue(forKey: id) }
  }

  func isUnacknowledged(_ id: UUID) -> Bool { state.withLock { $0.endings[id] != nil } }

  func close() {
    let mailboxes = state.withLock { state in
      state.isClosed = true
      defer { state.mailboxes = [:] }
      return Array(state.mailboxes.values)
    }
    for mailbox in mailboxes { mailbox.close() }
  }
}
