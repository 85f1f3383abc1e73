import AFSupport
import AFTransport
import Foundation

/// A manager's token source, and the origins that its token is for.
struct BearerUse: Sendable {
  let core: BearerCore
  let origins: Set<Origin>

  /// Whether `request`, sent by a session with these settings, carries the token.
  func covers(_ request: HopRequest, _ settings: SessionSettings) -> Bool {
    guard request.keepsCredentials, request.value("Authorization") == nil,
      !settings.additionalHeaders.contains(where: { $0.name.equalsIgnoringCase("Authorization") }),
      let origin = Origin(request.url)
    else { return false }
    return origins.contains(origin)
  }
}

/// How far one task has come with its token.
struct TokenLedger: Sendable {
  /// The token of the running hop, if it has any of ours.
  var sent: BearerCore.Stamp?
  /// The token to which the last hop got a 401.
  var refused: BearerCore.Stamp?
  var refusals = 0
  var hasWaited = false
  /// Set where the task belongs to the refresh itself.
  var isExempt = false
}

/// Puts the token into a request that is about to be sent, or holds the hop until there is one.
struct TokenGate: Sendable {
  let task: TaskCore
  let session: SessionCore
  let use: BearerUse

  /// Puts the token into `request`; the task's own request stays without it, and so do errors.
  /// - Returns: False if the hop has to wait, or the task has ended. It goes on by itself.
  func authorize(_ request: inout HopRequest) -> Bool {
    let token = task.state.withLock { state in
      state.ledger.token.sent = nil
      return state.ledger.token
    }
    guard !token.isExempt, use.covers(request, session.settings) else { return true }
    switch use.core.claim(refused: token.refused, hasWaited: token.hasWaited) {
    case .fail(let error):
      task.fail(error)
      return false
    case .wait(let stamp):
      wait(after: stamp, isRefused: token.refused != nil)
      return false
    case .send(let token, let stamp):
      guard token.isWellFormed else {
        task.fail(AFBearerAuthenticationError.malformedToken)
        return false
      }
      request.set("Authorization", "Bearer \(token.value)")
      task.state.withLock { state in
        state.ledger.token.sent = stamp
        state.ledger.token.refused = nil
      }
      return true
    }
  }

  private func wait(after stamp: BearerCore.Stamp, isRefused: Bool) {
    guard let question = TaskQuestion.open(.token, of: task) else { return }
    let wait = use.core.wait(after: stamp, isRefused: isRefused) { [task] result in
      task.state.withLock { state in
        state.ledger.token.hasWaited = true
        state.ledger.token.refused = nil
      }
      guard question.close() else { return }
      switch result {
      case .success: task.goOn(with: task.state.withLock { $0.current })
      case .failure(let error): task.fail(error)
      }
    }
    question.whenEnded { wait.cancel() }
  }
}
