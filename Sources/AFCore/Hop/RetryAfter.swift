import Foundation

/// The Retry-After field (RFC 9110 §10.2.3).
package enum RetryAfter {
  /// Seconds until the server wants to be asked again; 0 for a moment that has passed. nil if the field is neither a number of seconds nor
  /// a date.
  ///
  /// A date counts from the response's own `Date`, since this machine's clock may be wrong; without one from `now`, in seconds since 1970,
  /// if that is given.
  package static func seconds(_ field: String?, date: String?, now: Double? = nil) -> Double? {
    guard let text = field?.trimmingCharacters(in: CharacterSet(charactersIn: " \t")), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return min(longest, Double(text) ?? longest)
    }
    guard let then = HTTPDate.seconds(text), let now = date.flatMap({ HTTPDate.seconds($0) }) ?? now else { return nil }
    return min(longest, max(0, then - now))
  }

  /// Some thirty years: more is no time that anything waits for.
  private static let longest: Double = 1e9
}
