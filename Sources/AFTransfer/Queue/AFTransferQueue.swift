public import AFCore
public import AFMultipart
public import AFSecurity
import AFSupport
public import Foundation

/// Transfers that survive the process: what `add` has returned is never lost, and its end is told until it is acknowledged.
///
/// A queue lives in a folder, which one process at a time owns. The process that opens it goes on with what is in it.
///
/// Nothing here needs a queue or a thread of the app's. Closures that are registered are called on any thread.
public final class AFTransferQueue: Sendable {
  /// How a queue behaves.
  public struct Configuration: Sendable {
    /// Transfers under way at once: 3.
    public var maximumConcurrency = 3
    /// The same at one origin: 2.
    public var maximumConcurrencyPerOrigin = 2
    /// How long origins get after failures.
    public var retryPolicy = AFTransferRetryPolicy()
    /// Seconds without a byte in either direction after which an attempt is given up: 60.
    public var idleTimeout: TimeInterval = 60
    /// Seconds that a server gets for its answer when it has the whole body: 600.
    public var answerTimeout: TimeInterval = 600
    /// Seconds for which an acknowledged transfer is kept after its end: a day.
    public var retention: TimeInterval = 86_400
    /// Bytes that bodies handed over or copied may take in the spool; nil for no limit but the disk's.
    public var diskBudget: Int64?
    /// Shared with other managers on the same link, if given to them too.
    public var uploadLimit: AFBandwidthLimit?
    /// Shared with other managers on the same link, if given to them too.
    public var downloadLimit: AFBandwidthLimit?
    /// What all requests go by, but for limits and interface: a proxy, address families, …
    public var transportOptions = AFTransportOptions()

    /// The defaults.
    public init() {}
  }

  /// What is known of a request that a server may have processed.
  public enum Verdict: Sendable, Hashable {
    /// The server has done it: the transfer is complete.
    case processed
    /// The server has not done it: it is sent again.
    case notProcessed
    /// It cannot be told: the transfer fails.
    case unknown
  }

  /// Gives the value of `Authorization` for an origin. `wasRefused` is true when the server answered the last one with 401.
  public typealias Credentials = @Sendable (_ origin: URL, _ wasRefused: Bool) async throws -> String

  private let core: QueueCore

  /// Opens the queue of a name, in the user's state folder (`$XDG_STATE_HOME`, else `~/.local/state`; root's is `/var/lib`).
  /// - Parameters:
  ///   - identifier: Letters, digits, '-', '_' and '.'.
  ///   - configuration: How it behaves.
  /// - Throws: ``AFTransferStoreError``, ``AFTransferError/Code/invalidRequest`` for a name that is none.
  public convenience init(identifier: String, configuration: Configuration = Configuration()) async throws {
    guard AFTransferRequest.isName(identifier) else {
      throw AFTransferError(.invalidRequest, "an identifier has letters, digits, '-', '_' and '.' alone")
    }
    let environment = ProcessInfo.processInfo.environment
    let base =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (geteuid() == 0 ? "/var/lib" : NSHomeDirectory() + "/.local/state")
    try await self.init(
      folder: URL(fileURLWithPath: "\(base)/aftransfer/\(identifier)", isDirectory: true), configuration: configuration)
  }

  /// Opens the queue in a folder, which is made if there is none, and goes on with what is in it.
  /// - Parameters:
  ///   - folder: On a local file system; this user's, and no other may write to it.
  ///   - configuration: How it behaves.
  /// - Throws: ``AFTransferStoreError``.
  public init(folder: URL, configuration: Configuration = Configuration()) async throws {
    core = try await QueueCore.open(folder.standardizedFileURL.path, configuration)
  }

  /// The folder's damaged database, if one had to be set aside at opening: where it is, and how many transfers were carried over.
  public var recoveredFrom: (folder: URL, carriedOver: Int)? {
    core.recovery.map { (URL(fileURLWithPath: $0.folder, isDirectory: true), $0.carriedOver) }
  }

  /// Names a security policy. Transfers that wait for it go on.
  /// - Parameters:
  ///   - policy: The policy; later changes of it count.
  ///   - name: The name that requests give as ``AFTransferRequest/securityPolicy``.
  public func register(policy: AFSecurityPolicy, as name: String) async {
    await core.register(policy: policy, as: name)
  }

  /// Names credentials. Transfers that wait for them go on.
  /// - Parameters:
  ///   - credentials: Asked at each attempt, and once more when the server answers 401.
  ///   - name: The name that requests give as ``AFTransferRequest/credentials``.
  public func register(credentials: @escaping Credentials, as name: String) async {
    await core.register(credentials: .closure(credentials), as: name)
  }

  /// Names a bearer token. Transfers that wait for it go on.
  /// - Parameters:
  ///   - bearer: The token, with its origins.
  ///   - name: The name that requests give as ``AFTransferRequest/credentials``.
  public func register(credentials bearer: AFBearerAuthentication, as name: String) async {
    await core.register(credentials: .bearer(bearer), as: name)
  }

  /// Names a closure that finds out whether a request was processed. It is asked where that is in doubt.
  /// - Parameters:
  ///   - verification: What it throws counts as ``Verdict/unknown``.
  ///   - name: The name that requests give as ``AFTransferRequest/verification``.
  public func register(
    verification: @escaping @Sendable (AFTransferRequest) async throws -> Verdict, as name: String
  ) async {
    await core.register(verification: verification, as: name)
  }

  /// Adds a transfer. It is durable once this returns.
  /// - Parameter request: What to transfer.
  /// - Returns: The transfer; the present one if a live one has the request's key.
  /// - Throws: ``AFTransferError`` for a request that cannot be kept, ``AFTransferStoreError``. Nothing has been added then.
  @discardableResult
  public func add(_ request: AFTransferRequest) async throws -> AFTransfer {
    try await core.add([request])[0]
  }

  /// Adds transfers, all or none, by one durable step.
  /// - Parameter requests: What to transfer.
  /// - Returns: The transfers, in the order of the requests.
  /// - Throws: As ``add(_:)``.
  @discardableResult
  public func add(contentsOf requests: [AFTransferRequest]) async throws -> [AFTransfer] {
    try await core.add(requests)
  }

  /// All transfers that have not been purged, in the order they were added in.
  public var transfers: [AFTransfer] { get async { await core.all } }

  /// The transfer of an identifier; nil if there is none, or it has been purged.
  public func transfer(_ id: UUID) async -> AFTransfer? { await core.transfer(id) }

  /// The ends that the app has not acknowledged, and then what happens. Each loop has its own.
  public var events: AFTransferEvents { AFTransferEvents(hub: core.hub) }

  /// Stops all transfers until ``resume()``; not kept over a restart. Returns when none is under way.
  public func pause() async { await core.pause() }

  /// Lets transfers go on.
  public func resume() async { await core.unpause() }

  /// Waits until nothing is left that could run: every transfer has ended or is suspended.
  /// - Throws: `CancellationError` if the task is cancelled, ``AFTransferStoreError/closed`` if the queue is closed.
  public func waitUntilIdle() async throws { try await core.waitUntilIdle() }

  /// Removes the transfers that have ended and are acknowledged, without waiting for ``Configuration/retention``.
  /// - Throws: ``AFTransferStoreError``.
  public func purge() async throws { try await core.purge(olderThan: 0) }

  /// Interrupts what is under way, and gives the folder up. The next opening goes on.
  public func close() async { await core.close() }
}
