import Foundation

/// The Retry-After field (RFC 9110 §10.2.3).
enum RetryAfter {
  /// Seconds from `now` (seconds since 1970) until the server wants to be asked again; 0 for a moment that has passed. nil if the field
  /// is neither a number of seconds nor a date.
  static func seconds(_ field: String?, now: @autoclosure () -> Double) -> Double? {
    guard let text = field?.trimmingCharacters(in: CharacterSet(charactersIn: " \t")), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return Double(text) }
    let now = now()
    return HTTPDate.seconds(text, now: now).map { max(0, $0 - now) }
  }
}
