public import Dispatch
public import Foundation

/// Watches the way to the Internet, to a host, to an interface, and tells when it opens or closes.
///
/// A manager does nothing before ``startMonitoring()``. The present status is then reported once, soon and without
/// waiting for a change, and after it every change of the status, in order: ``networkReachabilityStatus`` takes the new
/// value, the block given to ``setReachabilityStatusChange(_:)`` is called, and
/// `NSNotification.Name.AFNetworkingReachabilityDidChange` is posted, all three on the main queue or on the
/// queue given to ``init(target:debounce:callbackQueue:)``. Equal statuses are not reported twice in a row.
///
/// A program whose main thread does not run the main queue (`dispatchMain()`, `RunLoop.main.run()`) hears nothing on it;
/// such a program gives a queue of its own, or uses ``states(bufferingPolicy:)``, which needs none.
///
/// All managers of a process share one netlink socket and one thread, which exist while something is watched. Managers
/// may be used from any thread. As with AFNetworking, do not let this decide whether to send a request at all: only a
/// request shows whether a server can be reached. Use it to explain failures, and to try again at the right moment.
open class AFNetworkReachabilityManager: NSObject, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; its only stored property is immutable and Sendable.
  package let core: ReachabilityCore

  /// Makes a manager for `target`.
  /// - Parameters:
  ///   - target: what to watch the way to.
  ///   - debounce: how long a change must have lasted before it is reported, in seconds. By default every change is
  ///     reported at once; the first status after a start always is.
  ///   - callbackQueue: where block and notification are called; the main queue by default. Reports come one after
  ///     another, also on a concurrent queue.
  public init(target: AFReachabilityTarget, debounce: TimeInterval = 0, callbackQueue: DispatchQueue? = nil) {
    core = ReachabilityCore(target: target, debounce: debounce, queue: callbackQueue, monitor: .shared)
    super.init()
    core.attach(self)
  }

  /// Makes a manager that watches through `monitor`, for tests.
  ///
  /// Convenience: an initializer that subclasses elsewhere do not see would keep them from inheriting the others.
  package convenience init(
    target: AFReachabilityTarget, debounce: TimeInterval = 0, callbackQueue: DispatchQueue? = nil,
    monitor: NetworkMonitor
  ) {
    self.init(target: target, debounce: debounce, callbackQueue: callbackQueue)
    core.watch(through: monitor)
  }

  /// Makes a manager for general connectivity: a default route over a link that works. It is not started.
  public override convenience init() {
    self.init(target: .general)
  }

  /// Makes a manager for the host of that name, or of the address that `domain` spells. It is not started.
  ///
  /// The name is resolved in the background once monitoring starts, and again when the network changes.
  public convenience init(forDomain domain: String) {
    self.init(target: .host(domain))
  }

  /// Makes a manager for a socket address. It is not started.
  /// - Parameter address: points at a `sockaddr_in` or a `sockaddr_in6`, which is copied. The unspecified address
  ///   (0.0.0.0 or `::`) stands for general connectivity. With an address of another family, the status becomes
  ///   `notReachable`, and the state says why.
  public convenience init(forAddress address: UnsafeRawPointer) {
    self.init(target: AFReachabilityTarget(socketAddress: address))
  }

  deinit {
    core.stop()
  }

  private static let sharedManager = AFNetworkReachabilityManager()

  /// The one manager for general connectivity of the process. It is not started before somebody starts it.
  ///
  /// A subclass that wants a shared manager of its own overrides this method.
  @discardableResult
  open class func shared() -> Self {
    guard let manager = sharedManager as? Self else {
      preconditionFailure("\(Self.self) has to override shared() to have a shared manager of its own")
    }
    return manager
  }

  /// The status last reported; `unknown` before the first report. It keeps its value when monitoring stops.
  open var networkReachabilityStatus: AFNetworkReachabilityStatus { core.status }

  /// Whether the status says reachable, over whatever. `unknown` counts as no.
  open var isReachable: Bool { isReachableViaWWAN || isReachableViaWiFi }

  /// Whether the status says reachable over a cellular modem.
  open var isReachableViaWWAN: Bool { networkReachabilityStatus == .reachableViaWWAN }

  /// Whether the status says reachable over anything but a cellular modem.
  open var isReachableViaWiFi: Bool { networkReachabilityStatus == .reachableViaWiFi }

  /// Starts reporting, with the present status first. Returns at once.
  ///
  /// If monitoring was on already it starts anew, with one first report.
  open func startMonitoring() {
    core.start()
  }

  /// Stops reporting. Reports on their way are dropped; a block that is running runs on.
  open func stopMonitoring() {
    core.stop()
  }

  /// A short text for the status, for people: the same as ``AFStringFromNetworkReachabilityStatus(_:)``.
  @discardableResult
  open func localizedNetworkReachabilityStatusString() -> String {
    AFStringFromNetworkReachabilityStatus(networkReachabilityStatus)
  }

  /// Sets the block to call with the first status after a start and with every change; nil for none.
  ///
  /// The block in force when a report is made is called, on the queue that the manager was made with.
  @preconcurrency
  open func setReachabilityStatusChange(_ block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?) {
    core.setBlock(block)
  }
}

extension AFReachabilityTarget {
  /// The host with the address at `pointer`, or everything if that is the unspecified address.
  init(socketAddress pointer: UnsafeRawPointer) {
    guard let socketAddress = SocketAddress(pointer) else {
      self = .any([])
      return
    }
    let scope = socketAddress.scope.map { "%\($0)" } ?? ""
    self = socketAddress.address.isUnspecified ? .general : .host("\(socketAddress.address)\(scope)")
  }
}
