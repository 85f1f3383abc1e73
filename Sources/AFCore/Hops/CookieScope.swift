import AFSupport
import Foundation
import FoundationNetworking

/// Which cookies a host may set (RFC 6265 §5.3): for itself, and for domains that it lies in and that are not open to
/// everybody's registration.
enum CookieScope {
  static func allows(_ cookie: HTTPCookie, from host: String) -> Bool {
    let host = host.lowercased()
    var domain = cookie.domain.lowercased()
    if domain.hasPrefix(".") { domain.removeFirst() }
    if domain == host { return true }
    guard host.hasSuffix("." + domain), !isAddress(host) else { return false }
    return !PublicSuffixes.shared.contains(domain)
  }

  private static func isAddress(_ host: String) -> Bool {
    host.contains(":")
      || host.split(separator: ".", omittingEmptySubsequences: false).last?.allSatisfy(\.isNumber) == true
  }
}

/// The domains under which everybody may register names, by the list that Debian's `publicsuffix` installs. Without the list
/// they are the top-level domains and those known ones of two parts that most cookies could be aimed at.
final class PublicSuffixes: Sendable {
  static let shared = PublicSuffixes(path: "/usr/share/publicsuffix/public_suffix_list.dat")

  private let rules: Set<String>

  /// Read when it is first asked for.
  init(path: String) {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? Self.few
    rules = Set(
      text.split(separator: "\n").lazy
        .map { $0.prefix { !$0.isWhitespace } }
        .filter { !$0.isEmpty && !$0.hasPrefix("//") }
        .map { $0.lowercased() })
  }

  private static let few = """
    co.uk
    org.uk
    ac.uk
    gov.uk
    com.au
    com.br
    com.cn
    com.tr
    co.jp
    ne.jp
    or.jp
    co.kr
    co.nz
    co.za
    co.in
    github.io
    """

  /// Whether `domain`, in lower case, is a public suffix (the algorithm of publicsuffix.org).
  func contains(_ domain: String) -> Bool {
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1 else { return true }
    if rules.contains("!" + domain) { return false }
    return rules.contains(domain) || rules.contains("*." + labels.dropFirst().joined(separator: "."))
  }
}
