import Foundation

/// A Content-Range field (RFC 9110 §14.4).
struct ContentRange: Equatable {
  /// First and last byte, or nil if the range cannot be satisfied.
  var bytes: ClosedRange<Int64>?
  /// The whole length, or nil if the server does not know it.
  var total: Int64?

  /// Reads `bytes 0-99/100`, `bytes 0-99/*` and `bytes */100`; nil for anything else, contradictions included.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    if halves[1] != "*" {
      guard let value = Self.number(halves[1]) else { return nil }
      total = value
    }
    if halves[0] == "*" {
      guard total != nil else { return nil }
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      total.map({ last < $0 }) ?? true
    else { return nil }
    bytes = first...last
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(text) : nil
  }
}
