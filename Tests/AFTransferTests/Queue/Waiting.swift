import AFTestSupport
import AFTransfer
import Foundation

extension AFTransferQueue {
  /// A queue that makes short work of failures.
  static func quick(
    _ folder: URL, _ change: (inout Configuration) -> Void = { _ in }
  ) async throws -> AFTransferQueue {
    var configuration = Configuration()
    configuration.retryPolicy.firstDelay = 0.02
    configuration.retryPolicy.maximumDelay = 0.2
    change(&configuration)
    return try await AFTransferQueue(folder: folder, configuration: configuration)
  }
}

extension AFTransfer {
  func wait(within seconds: Double = 5, for wanted: (AFTransferState?) -> Bool) async throws {
    var last: AFTransferState?
    try await eventually(within: seconds, "the state, \(String(describing: last))") {
      last = await state
      return wanted(last)
    }
  }

  func waitsFor(_ reason: AFTransferWaitReason) async throws {
    try await wait { if case .waiting(reason, _)? = $0 { true } else { false } }
  }
}

/// The code of the error with which a transfer ends.
func failureCode(_ transfer: AFTransfer) async throws -> AFTransferError.Code? {
  guard case .failed(let error) = try await transfer.outcome else { return nil }
  return error.code
}
