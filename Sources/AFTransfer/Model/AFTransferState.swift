public import Foundation

/// Where a transfer stands.
public enum AFTransferState: Sendable, Hashable {
  /// It could run, and waits for its turn.
  case queued
  /// It waits for something. The moment is when it is tried again at the latest, if one is set.
  case waiting(AFTransferWaitReason, until: Date?)
  /// An attempt is under way.
  case running
  /// All bytes are there; what remains is the server's last answer, or moving the file to its place.
  case finishing
  /// Suspended by the caller, until `resume()`.
  case suspended
  /// The end: whole.
  case completed
  /// The end: failed.
  case failed(AFTransferError)
  /// The end: cancelled by the caller.
  case cancelled

  /// Whether it is one of the three ends.
  public var isEnd: Bool {
    switch self {
    case .completed, .failed, .cancelled: true
    default: false
    }
  }
}

/// What a transfer waits for.
public enum AFTransferWaitReason: String, Sendable, Hashable, Codable {
  /// A network.
  case network
  /// A way that is not metered.
  case unmetered
  /// The network interface that it names.
  case interface
  /// The time that the server or its origin gets after failures.
  case backoff
  /// The time that the server asked for by `Retry-After`.
  case retryAfter
  /// The upload on the server is held by an earlier request.
  case locked
  /// Credentials of its name, or better ones.
  case credentials
  /// A security policy of its name.
  case policy
  /// A server that the policy trusts: portals pass, and pins are rotated.
  case trust
  /// Room on the disk.
  case diskSpace
}

/// How far a transfer is. It never says more than the server or the disk has.
public struct AFTransferProgress: Sendable, Hashable {
  /// Bytes that the server has acknowledged, or that are in the file. Of a plain upload none until it is complete.
  public var completed: Int64
  /// Bytes handed to the network in this attempt, on top of which it stands: what a plain upload can show meanwhile.
  public var sent: Int64
  /// The whole, if it is known.
  public var total: Int64?

  /// ``completed`` of ``total``, 0 if that is unknown.
  public var fractionCompleted: Double {
    guard let total, total > 0 else { return 0 }
    return min(1, Double(completed) / Double(total))
  }
}
