import AFTransport
import Foundation

/// What a response to a request for the rest of a download means (RFC 9110 §14.2, §14.4, §15.5.17).
enum Continuation: Equatable {
  /// The body goes to this offset of the partial file.
  case goOn(Int64)
  /// The body is the whole: begin at 0.
  case whole
  /// The partial file is all there is.
  case complete
  /// The partial file is worth nothing, and neither is this response.
  case restart

  init(_ head: ResponseHead, _ resume: ResumeData) {
    switch head.statusCode {
    case 206: self = Self.partial(head, resume)
    case 416:
      let range = head.value("Content-Range").map { ContentRange($0) }
      let total = range.map { $0?.total } ?? resume.total
      self = total == resume.offset ? .complete : .restart
    default: self = .whole
    }
  }

  private static func partial(_ head: ResponseHead, _ resume: ResumeData) -> Continuation {
    guard let range = head.value("Content-Range").flatMap({ ContentRange($0) }), let bytes = range.bytes,
      bytes.lowerBound <= resume.offset
    else { return .restart }
    if let total = range.total, let known = resume.total, total != known { return .restart }
    // A server that ignored If-Range shows it by another tag.
    if let tag = head.value("ETag"), resume.validator.hasPrefix("\""), tag != resume.validator { return .restart }
    return .goOn(bytes.lowerBound)
  }
}

extension ResponseHead {
  /// The length of the whole that this response is, or is a part of; nil if it is not told.
  var wholeLength: Int64? {
    guard statusCode == 206 else { return contentLength }
    return value("Content-Range").flatMap { ContentRange($0) }?.total
  }
}
