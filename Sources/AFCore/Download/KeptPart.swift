package import AFTransport
import Foundation

/// A part of a resource that is kept in a file.
package struct KeptPart: Equatable, Sendable {
  /// Where in the whole the file's first byte stands: 0, unless the caller asked for a range of his own.
  package var start: Int64
  /// Bytes in the file.
  package var length: Int64
  /// Where what the caller asked for ends, if it ends before the whole does.
  package var end: Int64?
  /// The length of the whole, if the server told it.
  package var total: Int64?
  package var validator: PartValidator

  package init(
    start: Int64 = 0, length: Int64, end: Int64? = nil, total: Int64? = nil, validator: PartValidator
  ) {
    self.start = start
    self.length = length
    self.end = end
    self.total = total
    self.validator = validator
  }

  /// Where in the whole the next byte belongs.
  package var position: Int64 { start.addingClamped(length) }

  /// Where in the whole the file is to end; nil if that is not known.
  var goal: Int64? { end ?? total }

  /// The value of Range for the rest.
  package var range: String {
    guard let end, end > position else { return "bytes=\(position)-" }
    return "bytes=\(position)-\(end - 1)"
  }
}

/// What of a response says how it belongs to a kept part.
package struct PartAnswer: Equatable {
  var status: Int
  /// Nil also if there is one that says nothing, or several that differ.
  var range: ContentRange?
  var hasRange = false
  var contentLength: Int64?
  var entityTag: String?
  var lastModified: String?
  /// Whether the bytes are those of the resource, and not in a coding.
  var isPlain = true
  /// Whether the body is of several parts with fields of their own.
  var isMultipart = false

  init(
    status: Int, range: ContentRange? = nil, contentLength: Int64? = nil, entityTag: String? = nil,
    lastModified: String? = nil
  ) {
    self.status = status
    self.range = range
    hasRange = range != nil
    self.contentLength = contentLength
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  package init(_ head: ResponseHead) {
    status = head.statusCode
    let ranges = Set(head.values("Content-Range"))
    hasRange = !ranges.isEmpty
    range = ranges.count == 1 ? ranges.first.flatMap { ContentRange($0) } : nil
    contentLength = head.contentLength
    entityTag = head.value("ETag")
    lastModified = head.value("Last-Modified")
    isPlain = head.value("Content-Encoding").map { $0.isEmpty || $0.equalsIgnoringCase("identity") } ?? true
    isMultipart = head.value("Content-Type")?.lowercased().hasPrefix("multipart/byteranges") ?? false
  }

  /// Whether the announced length is another than that of the part that Content-Range names.
  func contradictsLength(_ first: Int64, _ end: Int64) -> Bool {
    contentLength.map { $0 != end - first } ?? false
  }
}

extension Int64 {
  /// The sum, or the greatest number there is: for what others say.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
