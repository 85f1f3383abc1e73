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
struct BearerState: Sendable {
  /// So many tokens may be refused.
  static let limit = 3

  /// The token of the running hop, if it has any of ours.
  var sent: BearerCore.Stamp?
  /// The token to which the last hop got a 401.
  var refused: BearerCore.Stamp?
  var refusals = 0
  var hasWaited = false
  /// Set where the task belongs to the refresh itself.
  var isExempt = false
}

extension TaskState {
  /// Takes note of whether it is a refresh that makes, or resumes, the task.
  mutating func noteBearer() {
    if blocks.bearer?.core.isRefreshingHere == true { bearer.isExempt = true }
  }
}

extension TaskCore {
  /// Puts the token into `request`, which is about to be sent; the task's own request stays without it, and so do errors.
  /// - Returns: False if the hop has to wait, or the task has ended. It goes on by itself.
  func authorize(_ request: inout HopRequest, _ use: BearerUse, _ session: SessionCore) -> Bool {
    let bearer = state.withLock { state in
      state.bearer.sent = nil
      return state.bearer
    }
    guard !bearer.isExempt, use.covers(request, session.settings) else { return true }
    switch use.core.claim(refused: bearer.refused, hasWaited: bearer.hasWaited) {
    case .fail(let error):
      fail(error)
      return false
    case .wait(let stamp):
      wait(after: stamp, isRefused: bearer.refused != nil, use, session)
      return false
    case .send(let token, let stamp):
      guard token.isWellFormed else {
        fail(AFBearerAuthenticationError.malformedToken)
        return false
      }
      request.set("Authorization", "Bearer \(token.value)")
      state.withLock { state in
        state.bearer.sent = stamp
        state.bearer.refused = nil
      }
      return true
    }
  }

  private func wait(after stamp: BearerCore.Stamp, isRefused: Bool, _ use: BearerUse, _ session: SessionCore) {
    guard let question = TaskQuestion.open(.token, of: self) else { return }
    let wait = use.core.wait(after: stamp, isRefused: isRefused) { result in
      self.state.withLock { state in
        state.bearer.hasWaited = true
        state.bearer.refused = nil
      }
      guard question.close() else { return }
      switch result {
      case .success: self.goOn(with: self.state.withLock { $0.current })
      case .failure(let error): self.fail(error)
      }
    }
    question.whenEnded { wait.cancel() }
  }

  /// Takes a 401 that answers our token: the request is repeated, with a newer token, or the task ends with an error and this
  /// response. Nil if the hop carried none of ours.
  func answerRefusedToken(_ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute? {
    let (bearer, use) = state.withLock { ($0.bearer, $0.blocks.bearer) }
    guard let sent = bearer.sent, let use else { return nil }
    let isReplaced = use.core.isReplaced(sent)
    let next = state.withLock { state -> HopRequest? in
      state.bearer.refusals += 1
      guard state.bearer.refusals < BearerState.limit, !bearer.hasWaited || isReplaced else {
        state.reason = AFBearerAuthenticationError.refused
        return nil
      }
      state.bearer.refused = sent
      return state.current
    }
    guard let next else { return kind == .download ? .discard : .memory }
    return proceed(with: next, transfer, session)
  }
}
