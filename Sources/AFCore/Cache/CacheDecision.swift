import Foundation
import FoundationNetworking

/// What is done about a request for which something is kept.
enum CacheDecision: Equatable, Sendable {
  /// The kept response is the answer.
  case serve
  /// The server is asked whether the kept response is still good.
  case validate
  /// The server is asked as if nothing were kept.
  case load

  /// - Parameters:
  ///   - policy: The request's policy.
  ///   - request: The request's own directives.
  ///   - rules: The kept response, which is one for this request.
  ///   - now: Seconds since 1970.
  init(_ policy: URLRequest.CachePolicy, _ request: CacheControl, _ rules: CacheRules, at now: Double) {
    switch policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad: self = .serve
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .load
    case .reloadRevalidatingCacheData: self = rules.hasValidator ? .validate : .load
    case .useProtocolCachePolicy where rules.isUsable(at: now, for: request): self = .serve
    case .useProtocolCachePolicy: self = rules.hasValidator ? .validate : .load
    @unknown default: self = .load
    }
  }
}

extension URLRequest.CachePolicy {
  /// Whether what is kept counts at all.
  var readsCache: Bool { self != .reloadIgnoringLocalCacheData && self != .reloadIgnoringLocalAndRemoteCacheData }

  /// Whether what is kept is taken however old it is.
  var prefersCache: Bool { self == .returnCacheDataElseLoad || self == .returnCacheDataDontLoad }
}
