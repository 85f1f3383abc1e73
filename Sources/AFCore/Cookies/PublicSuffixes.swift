internal import CPSL

/// The domains under which everybody may register names, by libpsl and the list that the system has.
///
/// Unchecked because libpsl's context is a pointer; it is never changed after it is made.
final class PublicSuffixes: @unchecked Sendable {
  /// Reads the list's file when it is first used.
  static let shared = PublicSuffixes()

  private let context: OpaquePointer?

  private init() {
    // Never freed: it is libpsl's own, or lives as long as the process.
    context = psl_latest(nil)
  }

  /// Whether a domain, in lower case, is a public suffix. A name of one label is, even if the list does not know it, unless
  /// `listedOnly` is set.
  func contains(_ domain: String, listedOnly: Bool = false) -> Bool {
    guard let context, !CookieMatching.isAddress(domain) else { return false }
    return psl_is_public_suffix2(context, domain, PSL_TYPE_ANY | (listedOnly ? PSL_TYPE_NO_STAR_RULE : 0)) != 0
  }

  /// The domain that was registered: a public suffix and one label more. The host itself if it is an address, or a public suffix.
  func registrableDomain(of host: String) -> String {
    guard let context, !CookieMatching.isAddress(host) else { return host }
    return host.withCString { psl_registrable_domain(context, $0).map { String(cString: $0) } } ?? host
  }
}
