import Foundation

/// What becomes of a transfer whose attempt failed.
enum RetryDecision: Hashable, Sendable {
  /// The origin gets time, and the transfer is tried again.
  case backOff(AFTransferWaitReason)
  /// This transfer alone waits so many seconds.
  case wait(AFTransferWaitReason, TimeInterval)
  /// It goes back to its place in the queue.
  case queue
  /// It is not known whether the server has processed it, and it must not be sent twice.
  case doubt
  case fail(AFTransferError.Code)
}

/// The rules of when to try again (RFC 9110 §9.2.2, §15; RFC 6585 §4 for 429).
enum RetryRule {
  /// `isRepeatable` says that the request may be sent again freely; `attempts` and `serverErrors` (answers of 5xx while others
  /// succeeded) include this one.
  static func decide(
    _ failure: AttemptFailure, isRepeatable: Bool, attempts: Int, serverErrors: Int, _ policy: AFTransferRetryPolicy
  ) -> RetryDecision {
    let isInDoubt = failure.mayHaveBeenProcessed && !isRepeatable
    switch failure.cause {
    case .status(let status):
      return decide(
        status: status, failure, isInDoubt: isInDoubt, attempts: attempts, serverErrors: serverErrors, policy)
    case .network: return isInDoubt ? .doubt : .backOff(.backoff)
    case .interrupted: return isInDoubt ? .doubt : .queue
    case .vanished: return isRepeatable ? .backOff(.backoff) : .doubt
    // Nothing was sent: the handshake comes first. Portals pass, and pins are rotated.
    case .trust: return .wait(.trust, doubling(60, attempts, policy.maximumTrustDelay))
    case .credentials: return .wait(.credentials, 60)
    case .policy: return .wait(.policy, 60)
    case .diskSpace: return .wait(.diskSpace, 30)
    case .interface: return .wait(.interface, 30)
    case .locked: return .wait(.locked, doubling(2, attempts, 60))
    case .sourceMissing: return .fail(.sourceMissing)
    case .sourceChanged: return .fail(.sourceChanged)
    case .cannotWrite: return .fail(.cannotWrite)
    case .mismatch: return .fail(.digestMismatch)
    case .notSupported: return .fail(.notSupported)
    }
  }

  private static func decide(
    status: Int, _ failure: AttemptFailure, isInDoubt: Bool, attempts: Int, serverErrors: Int,
    _ policy: AFTransferRetryPolicy
  ) -> RetryDecision {
    switch status {
    // Too many requests, too early, or a request that did not arrive as a whole: not processed, by their definitions.
    case 408, 425: return .backOff(.backoff)
    case 429: return .backOff(failure.retryAfter == nil ? .backoff : .retryAfter)
    case 401, 407: return .wait(.credentials, 60)
    case 423: return .wait(.locked, doubling(2, attempts, 60))
    case 500...:
      // Also a 503 may come from a gateway that had passed the request on.
      if isInDoubt { return .doubt }
      if serverErrors >= policy.maximumServerErrors { return .fail(.gaveUp) }
      return .backOff(failure.retryAfter == nil ? .backoff : .retryAfter)
    default: return .fail(.rejected)
    }
  }

  private static func doubling(_ first: TimeInterval, _ attempts: Int, _ limit: TimeInterval) -> TimeInterval {
    min(limit, first * pow(2, Double(min(max(attempts, 1) - 1, 60))))
  }
}
