internal import AFSupport
public import Foundation

/// Why a target's reachability is not known, or cannot be had.
public enum AFReachabilityError: Error, Hashable, Sendable {
  /// The name gave no address. `reason` is the resolver's own text.
  case nameNotResolved(name: String, reason: String)
  /// There is no interface of that name.
  case noSuchInterface(name: String)
  /// A socket address of a family other than IPv4 and IPv6, or a target without members.
  case invalidTarget(String)
  /// The system does not let this process look at its network, for instance in a sandbox. `call` failed with `code`.
  case netlinkUnavailable(call: String, code: Int32)
  /// ``AFNetworkReachabilityManager/waitUntilReachable(timeout:)`` waited that many seconds, and the status still was `status`.
  case timedOut(seconds: TimeInterval, status: AFNetworkReachabilityStatus)
}

extension AFReachabilityError: CustomStringConvertible, LocalizedError {
  /// One English sentence without a full stop. Control characters in names are escaped.
  public var description: String { text.printable() }

  private var text: String {
    switch self {
    case .nameNotResolved(let name, let reason): "the name \(name) gave no address: \(reason)"
    case .noSuchInterface(let name): "there is no network interface \(name)"
    case .invalidTarget(let what): "not something that can be reached: \(what)"
    case .netlinkUnavailable(let call, let code):
      "the network cannot be watched: \(call) failed: \(String(cString: strerror(code)))"
    case .timedOut(let seconds, let status):
      "still \(AFStringFromNetworkReachabilityStatus(status)) after \(seconds) s"
    }
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
