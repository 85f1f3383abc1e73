import AFCore
import Foundation
import FoundationNetworking

/// What has come of a response before the operation was paused, and how the rest is asked for and joined to it (RFC 9110 §13.1.5, §14).
///
/// The rest is asked for where it is certain that it belongs to what is there: after a GET that was answered 200 or 206 with a strong
/// validator. Everything else begins again.
struct Continuation: Sendable, Equatable {
  /// How many bytes are there.
  var count: Int64
  /// The value of If-Range.
  var condition: String

  /// - Returns: Nil if the request has to be sent again as it was.
  init?(method: String?, status: Int?, encoding: String?, condition: String?, count: Int64) {
    guard method == nil || method == "GET", status == 200 || status == 206, let condition, count > 0,
      encoding.map({ $0.isEmpty || $0.lowercased() == "identity" }) ?? true
    else { return nil }
    self.count = count
    self.condition = condition
  }

  /// The header fields that ask for the rest.
  var fields: [(name: String, value: String)] {
    // Bytes of an encoded body cannot be joined to decoded ones.
    [("Range", "bytes=\(count)-"), ("If-Range", condition), ("Accept-Encoding", "identity")]
  }

  /// What the answer is.
  enum Answer: Equatable, Sendable {
    /// The rest: it goes behind what is there.
    case rest
    /// The whole, from its first byte.
    case whole
    /// There is no rest: what is there is the whole.
    case complete
    /// A part that does not begin where the first one ends. It cannot be joined.
    case other
  }

  func answer(status: Int?, contentRange: String?) -> Answer {
    let range = contentRange.flatMap { ContentRange($0) }
    switch status {
    case 206?:
      if case .part(first: count, _, _)? = range { return .rest }
      return .other
    case 416? where range == .unsatisfied(total: count): return .complete
    default: return .whole
    }
  }
}
