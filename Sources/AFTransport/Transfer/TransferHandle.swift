/// A running transfer, for whoever started it. Every call is a message to the engine's thread: it returns at once, and does
/// nothing when the transfer is already over.
package struct TransferHandle: Sendable {
  package let id: TransferID
  private let target: Target

  private enum Target: Sendable {
    case engine(Mailbox)
    case other(any TransferControl)
  }

  init(id: TransferID, mailbox: Mailbox) {
    self.id = id
    target = .engine(mailbox)
  }

  /// A transfer that no engine carries out.
  package init(id: UInt64, control: any TransferControl) {
    self.id = TransferID(raw: id)
    target = .other(control)
  }

  /// Ends the transfer; its handler gets `.cancelled`, unless it is already over.
  package func cancel() {
    switch target {
    case .engine(let mailbox): mailbox.send(.cancel(id))
    case .other(let control): control.cancel()
    }
  }

  /// Stops and continues the flow of bytes in both directions. A transfer that waits to be admitted goes on waiting.
  package func setSuspended(_ isSuspended: Bool) {
    switch target {
    case .engine(let mailbox): mailbox.send(.setSuspended(id, isSuspended))
    case .other(let control): control.setSuspended(isSuspended)
    }
  }

  /// Says where the body goes, after the handler answered `.undecided`. To say so again changes nothing.
  package func route(_ route: ResponseRoute) {
    if case .undecided = route { return }
    switch target {
    case .engine(let mailbox): mailbox.send(.route(id, route))
    case .other(let control): control.route(route)
    }
  }

  /// The sink has room again.
  package func resumeReceiving() {
    switch target {
    case .engine(let mailbox): mailbox.send(.resumeReceiving(id))
    case .other(let control): control.resumeReceiving()
    }
  }

  /// Between 0 and 1; matters while the transfer waits to be admitted.
  package func setPriority(_ priority: Float) {
    if case .engine(let mailbox) = target { mailbox.send(.setPriority(id, priority)) }
  }
}

/// What carries a transfer out that no engine does, such as a stub: takes the calls of its ``TransferHandle``, on any thread.
package protocol TransferControl: AnyObject, Sendable {
  func cancel()
  func setSuspended(_ isSuspended: Bool)
  func route(_ route: ResponseRoute)
  func resumeReceiving()
}
