import Foundation

/// A Content-Range field (RFC 9110 §14.4).
package enum ContentRange: Equatable {
  /// The bytes from `first` up to, but not including, `end`; `total` is the length of the whole, if the server knows it.
  case part(first: Int64, end: Int64, total: Int64?)
  /// No part was sent, and the whole has this length.
  case unsatisfied(total: Int64)
  /// A part that begins where the whole ends, or behind it. The grammar has no such thing; servers send it for nothing.
  case behindEnd(first: Int64, total: Int64)

  /// Reads `bytes 0-99/100`, `bytes 0-99/*` and `bytes */100`; nil for anything else, contradictions included.
  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let total = Self.number(halves[1])
    guard total != nil || halves[1] == "*" else { return nil }
    if halves[0] == "*" {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return nil }
    if let total, first >= total {
      self = .behindEnd(first: first, total: total)
      return
    }
    // The end behind the last number of all cannot be told.
    guard first <= last, last < .max, total.map({ last < $0 }) ?? true else { return nil }
    self = .part(first: first, end: last + 1, total: total)
  }

  /// The length of the whole, if it is told.
  package var total: Int64? {
    switch self {
    case .part(_, _, let total): total
    case .unsatisfied(let total), .behindEnd(_, let total): total
    }
  }

  /// Whether the part is the whole.
  var isWhole: Bool {
    if case .part(first: 0, let end, let total?) = self { return end == total }
    return false
  }

  /// Decimal digits alone; nil for what is no such number, or too large.
  static func number(_ text: Substring) -> Int64? {
    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(text) : nil
  }
}
