import AFTransport
import Foundation
package import FoundationNetworking

/// What is done about a request that a kept response may answer.
package enum CacheDecision: Equatable, Sendable {
  /// The kept response is the answer.
  case serve
  /// The kept response is the answer, and the server is asked meanwhile whether it is still good (RFC 5861 §3).
  case serveWhileRevalidating
  /// The server is asked whether the kept response is still good.
  case validate
  /// The server is asked as if nothing were kept.
  case load
  /// Only a kept response would do, as the request's `only-if-cached` says, and none may be used: 504 (RFC 9111 §5.2.1.7).
  case refuse
  /// Only a kept response would do, as the policy says, and there is none.
  case fail

  /// - Parameters:
  ///   - policy: The request's policy.
  ///   - request: The request's own directives.
  ///   - rules: The kept response for this request; nil if there is none.
  ///   - mayRevalidate: Whether the server may be asked beside the task.
  ///   - now: Seconds since 1970.
  package init(
    _ policy: URLRequest.CachePolicy, _ request: CacheControl, _ rules: CacheRules?, mayRevalidate: Bool, at now: Double
  ) {
    switch policy {
    case .returnCacheDataDontLoad: self = rules == nil ? .fail : .serve
    case .returnCacheDataElseLoad: self = rules != nil ? .serve : request.onlyIfCached ? .refuse : .load
    case .reloadRevalidatingCacheData:
      guard let rules else {
        self = .load
        return
      }
      // The server has said that asking is in vain (RFC 8246 §2).
      let isSettled = rules.control.isImmutable && rules.isFresh(at: now)
      self = isSettled ? .serve : rules.hasValidator ? .validate : .load
    case .useProtocolCachePolicy: self = Self.byProtocol(request, rules, mayRevalidate, now)
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .load
    @unknown default: self = .load
    }
  }

  private static func byProtocol(_ request: CacheControl, _ rules: CacheRules?, _ mayRevalidate: Bool, _ now: Double)
    -> CacheDecision
  {
    guard let rules else { return request.onlyIfCached ? .refuse : .load }
    if rules.isUsable(at: now, for: request) { return .serve }
    let isStillUsable = rules.isUsable(whileRevalidatingAt: now, for: request)
    if request.onlyIfCached { return isStillUsable ? .serve : .refuse }
    if mayRevalidate, isStillUsable { return .serveWhileRevalidating }
    return rules.hasValidator ? .validate : .load
  }
}

extension URLRequest.CachePolicy {
  /// Whether what is kept counts at all.
  package var readsCache: Bool {
    self != .reloadIgnoringLocalCacheData && self != .reloadIgnoringLocalAndRemoteCacheData
  }

  /// Whether what is kept is taken however old it is.
  package var prefersCache: Bool { self == .returnCacheDataElseLoad || self == .returnCacheDataDontLoad }

  /// What caches on the way are told, where the server is asked.
  var fieldsForOthers: [TransferRequest.HeaderField] {
    switch self {
    case .reloadIgnoringLocalAndRemoteCacheData: [.init("Cache-Control", "no-cache"), .init("Pragma", "no-cache")]
    // Else a cache on the way could answer in the server's place, also where nothing is kept here.
    case .reloadRevalidatingCacheData: [.init("Cache-Control", "max-age=0")]
    default: []
    }
  }
}
