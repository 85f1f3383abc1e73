import AFCore
import AFSecurity
import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

/// The blocks of one operation.
struct OperationBlocks: Sendable {
  typealias Progress = @Sendable (UInt, Int64, Int64) -> Void

  var uploadProgress: Progress?
  var downloadProgress: Progress?
  var challenge: (@Sendable (AFURLSessionTask, URLAuthenticationChallenge) -> Void)?
  var mayAuthenticate: (@Sendable (AFURLSessionTask, URLProtectionSpace) -> Bool)?
  var redirect: (@Sendable (AFURLSessionTask, URLRequest, URLResponse?) -> URLRequest?)?
  var cache: (@Sendable (AFURLSessionTask, CachedURLResponse) -> CachedURLResponse?)?
}

/// What came of one attempt.
struct AttemptResult: Sendable {
  var response: HTTPURLResponse?
  /// Nil where the body went to the output stream.
  var data: Data?
  var validator: PartValidator?
  var error: (any Error)?

  var wasStopped: Bool { (error as? URLError)?.code == .cancelled || (error as? AFError)?.isCancelled == true }
}

/// What has come before a pause.
struct KeptPart: Sendable {
  var data = Data()
  /// Bytes that the output stream has got.
  var written: Int64 = 0
  var continuation: Continuation?
  /// The response that it began with.
  var response: HTTPURLResponse?
}

/// Everything about an operation that changes; behind the operation's lock.
struct OperationState: Sendable {
  // Unchecked because streams and what stands in `userInfo` are the app's; they are stored and handed back, not touched here.
  struct Handed: @unchecked Sendable {
    var userInfo: [AnyHashable: Any]?
    var outputStream: OutputStream?
    /// What the response serializer made of the body.
    var object: Any?
  }

  var machine = OperationMachine()
  var request: URLRequest
  var sessions: SessionTable
  var policy: AFSecurityPolicy?
  /// What the operation has shown as its policy without having been given one, and how it was then.
  var shownPolicy: (policy: AFSecurityPolicy, generation: UInt64)?
  var credential: URLCredential?
  var usesCredentialStorage = true
  var blocks = OperationBlocks()
  var completionQueue: DispatchQueue?
  var completionGroup: DispatchGroup?
  var successQueue: DispatchQueue?
  var failureQueue: DispatchQueue?
  var handed = Handed()
  var completionBlock: (@Sendable () -> Void)?
  /// Called after the completion block, once.
  var finishHooks: [@Sendable () -> Void] = []
  /// Whether the completion block has run.
  var hasTold = false
  /// Whether it has been given to a queue of ours.
  var isEnqueued = false

  /// The policy for connections of the operation's own; nil if those of its client will do. `policy` is what the operation says.
  func ownPolicy(_ policy: AFSecurityPolicy) -> AFSecurityPolicy? {
    // The app has not changed what was made only to be shown.
    if let shownPolicy, shownPolicy.policy === policy, shownPolicy.generation == policy.generation { return nil }
    return policy
  }

  var task: AFURLSessionTask?
  var kept = KeptPart()
  /// Bytes of which the progress blocks know.
  var toldUpload: Int64 = 0
  var toldDownload: Int64 = 0
  var response: HTTPURLResponse?
  var data: Data?
  var error: (any Error)?
}
