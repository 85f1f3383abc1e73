import Foundation

/// What of the whole the caller's own request asks for (RFC 9110 §14.2).
package enum RequestedRange: Equatable {
  case whole
  /// One range of bytes, in whichever form.
  case one
  /// Several, of another unit, or what cannot be read: the caller's own business.
  case other

  /// Reads a Range field; nil is a request without one.
  package init(_ field: String?) {
    guard let field else {
      self = .whole
      return
    }
    let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0].trimmingCharacters(in: .whitespaces).lowercased() == "bytes" else {
      self = .other
      return
    }
    let ends = halves[1].trimmingCharacters(in: .whitespaces)
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let isOne =
      ends.count == 2 && ends.contains { !$0.isEmpty }
      && ends.allSatisfy { $0.isEmpty || ContentRange.number($0) != nil }
    self = isOne ? .one : .other
  }
}
