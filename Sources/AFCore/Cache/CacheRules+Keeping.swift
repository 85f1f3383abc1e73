package import AFTransport

/// Which responses to a GET may be kept (RFC 9111 §3).
extension CacheRules {
  /// Statuses whose responses may be kept without being told so (RFC 9110 §15.1), but for redirects, which are followed and
  /// not kept, and for parts.
  private static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 404, 405, 410, 414, 501]

  /// Those that RFC 9110 defines, and whose rules for caches are heeded here (§5.2.2.3).
  private static let understood: Set<Int> = heuristicallyCacheable.union([
    201, 202, 205, 400, 402, 403, 406, 408, 409, 411, 412, 413, 415, 416, 417, 421, 422, 426, 500, 502, 503, 504, 505,
  ])

  var isHeuristicallyCacheable: Bool { Self.heuristicallyCacheable.contains(head.statusCode) }

  /// Whether the response forbids to be kept; `must-understand` takes the place of `no-store` where the status is understood.
  var forbidsKeeping: Bool {
    let isUnderstood = Self.understood.contains(head.statusCode)
    return control.mustUnderstand ? !isUnderstood : control.noStore
  }

  /// Whether the response may be kept.
  package var isStorable: Bool {
    guard !forbidsKeeping, variance != nil else { return false }
    if isHeuristicallyCacheable { return true }
    switch head.statusCode {
    // Interim responses, parts, redirects and challenges; 304 is about another response; what is no status.
    case ..<200, 206, 301...399, 401, 407, 600...: return false
    default: return control.maxAge != nil || control.isPublic || control.isPrivate || head.value("Expires") != nil
    }
  }

  /// Whether a kept response could ever be of use under the protocol's rules: it is fresh for a while, or can be confirmed, or may be used
  /// though it is stale.
  package var isUseful: Bool { hasValidator || isUsefulUnasked }

  /// Whether it could be of use without the server's word.
  var isUsefulUnasked: Bool {
    lifetime > 0 || (control.staleIfError ?? 0) > 0 || (control.staleWhileRevalidate ?? 0) > 0
  }

  package var hasValidator: Bool { head.value("ETag") != nil || head.value("Last-Modified") != nil }

  /// In what requests must agree to have this response; nil if it is for one request alone.
  var variance: CacheVariance? { Self.varying(head).map { CacheVariance(names: $0, isPrivate: control.isPrivate) } }

  /// The field names of `Vary`, in lower case and order; nil if it says that every request is different.
  package static func varying(_ head: ResponseHead) -> [String]? {
    let names = head.values("Vary").flatMap { $0.split(separator: ",") }.map { $0.trimmed.lowercased() }
    return names.contains("*") ? nil : Set(names).subtracting([""]).sorted()
  }
}
