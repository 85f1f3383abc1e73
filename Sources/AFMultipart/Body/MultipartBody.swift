import AFSupport
import Foundation

/// A finished form: what is sent, in order. Immutable, so that any number of readers can go through it.
struct MultipartBody: Sendable {
  struct Part: Sendable {
    /// The delimiter and the header block.
    let head: [UInt8]
    let content: AFMultipartContent
    /// A name in the header fields that is no token.
    let invalidName: String?
    /// The name of the form field, for error messages.
    let name: String?
  }

  let parts: [Part]
  let closing: [UInt8]
  var throttle: Throttle

  init(boundary: Boundary, parts: [AFMultipartPart], throttle: Throttle) {
    var isFirst = true
    self.parts = parts.map { part in
      defer { isFirst = false }
      if part.isBare { return Part(head: [], content: part.content, invalidName: nil, name: nil) }
      let head = boundary.delimiter(isFirst: isFirst) + part.headers.block
      return Part(head: Array(head.utf8), content: part.content, invalidName: part.headers.invalidName, name: part.name)
    }
    closing = Array(boundary.closing(isFirst: isFirst).utf8)
    self.throttle = throttle
  }

  /// The length of the whole body; nil if a part's is not known, or the sum is more than 64 bits hold.
  var contentLength: Int64? {
    var total = Int64(closing.count)
    for part in parts {
      guard let length = part.content.length else { return nil }
      let (withHead, overflowsWithHead) = total.addingReportingOverflow(Int64(part.head.count))
      let (sum, overflows) = withHead.addingReportingOverflow(length)
      guard !overflowsWithHead, !overflows else { return nil }
      total = sum
    }
    return total
  }

  var isReplayable: Bool {
    parts.allSatisfy { $0.content.isReplayable }
  }

  var unthrottled: Self {
    var copy = self
    copy.throttle = Throttle()
    return copy
  }
}
