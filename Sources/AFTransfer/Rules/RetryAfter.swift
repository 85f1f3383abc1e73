import AFCore
import Foundation

/// `Retry-After` (RFC 9110 §10.2.3) as seconds. A date counts from the response's own `Date`, since a device's clock may be wrong.
enum RetryAfter {
  static func seconds(_ field: String?, date: String?) -> TimeInterval? {
    guard let field = field?.trimmingCharacters(in: .whitespaces), !field.isEmpty else { return nil }
    if field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return min(1e9, Double(field) ?? 1e9) }
    guard let then = HTTPDate.seconds(field), let now = date.flatMap(HTTPDate.seconds) else { return nil }
    return max(0, Double(then) - Double(now))
  }
}
