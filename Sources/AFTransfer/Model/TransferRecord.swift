import AFSupport
import Foundation

/// All that is known of a transfer: what the store keeps, as JSON. It holds no secret unless the request says so.
struct TransferRecord: Codable, Sendable {
  enum Phase: String, Codable, Sendable {
    case queued, waiting, running, finishing, suspended, completed, failed, cancelled

    var isEnd: Bool { self == .completed || self == .failed || self == .cancelled }
    var isUnderWay: Bool { self == .running || self == .finishing }
  }

  /// A download's part: what is in it for sure, and what it is a part of.
  struct Part: Codable, Sendable, Hashable {
    /// Bytes that are on the disk, synced: a resume trusts no more.
    var checkpoint: Int64 = 0
    /// A strong entity tag.
    var validator: String?
    var total: Int64?
    /// The part's inode, by which it is known at its destination after a crash.
    var inode: UInt64?
    /// Whether the whole was begun anew because its digest was wrong.
    var wasWrong = false
  }

  var id: UUID
  var request: AFTransferRequest
  var origin: String
  var phase = Phase.queued
  var reason: AFTransferWaitReason?
  var deadline: StoredDeadline?
  var expiry: StoredDeadline
  var attempts = 0
  /// Answers of 5xx while others succeeded at the origin.
  var serverErrors = 0
  /// The successes at the origin when the last of them came.
  var successesSeen = 0
  var lastError: AFTransferError?
  /// A request that must not be sent twice may have been processed: set before its first byte, taken back when an answer came.
  var wasSent = false
  var completed: Int64 = 0
  var total: Int64?
  /// Where the body is: the file itself, or its place in the spool.
  var bodyPath: String?
  var fingerprint: FileFingerprint?
  var part = Part()
  var result: AFTransferResult?
  var ended: StoredDeadline?

  var isLive: Bool { !phase.isEnd }

  var outcome: AFTransferOutcome? {
    switch phase {
    case .completed: .completed(result ?? AFTransferResult())
    case .failed: .failed(lastError ?? AFTransferError(.gaveUp, "the reason was lost"))
    case .cancelled: .cancelled
    default: nil
    }
  }

  func state(_ now: ClockReading) -> AFTransferState {
    switch phase {
    case .queued: .queued
    case .waiting: .waiting(reason ?? .backoff, until: deadline.map { now.wall + $0.remaining(now) })
    case .running: .running
    case .finishing: .finishing
    case .suspended: .suspended
    case .completed: .completed
    case .failed: .failed(lastError ?? AFTransferError(.gaveUp, "the reason was lost"))
    case .cancelled: .cancelled
    }
  }

  // MARK: in the store

  var stored: StoredTransfer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // What is encoded are strings, numbers and data: it cannot fail.
    let document = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return StoredTransfer(
      id: id.uuidString, key: request.key, state: phase.rawValue, isLive: isLive, document: document)
  }

  init?(_ stored: StoredTransfer) {
    guard let record = try? JSONDecoder().decode(Self.self, from: Data(stored.document.utf8)),
      record.id.uuidString == stored.id
    else { return nil }
    self = record
    // What a damaged store may say.
    completed = max(0, completed)
    part.checkpoint = max(0, part.checkpoint)
  }

  init(id: UUID = UUID(), request: AFTransferRequest, origin: String, now: ClockReading) {
    self.id = id
    self.request = request
    self.origin = origin
    expiry = StoredDeadline(after: request.lifetime, now)
  }
}
