import Foundation

/// What an answer to the request for the rest of a download means (RFC 9110 §14.2, §14.4, §15.3.7, §15.5.17).
///
/// | answer | decision |
/// | --- | --- |
/// | 206 that begins at the next byte, or before it and leads beyond it | ``append(at:end:total:)`` |
/// | 206 or 416 with another tag, date or whole length | ``changed`` |
/// | 206 of several parts, with a gap, in a coding, without or with a contradictory Content-Range | ``unusable(_:)`` |
/// | 416 or 206 by which nothing is left to send | ``complete`` |
/// | 416 otherwise | ``changed`` if the whole is shorter than the part, else ``unusable(_:)`` |
/// | 200 or 203 | ``whole``, if the response serializer accepts it |
/// | 200 with the Content-Range of a part | ``unusable(_:)`` |
/// | 404, 410, 412 | ``gone`` |
/// | anything else | ``refused`` |
package enum ResumeDecision: Equatable {
  /// The body is what stands in the whole from `at` up to `end`.
  case append(at: Int64, end: Int64, total: Int64?)
  /// The body is a new whole, and the part is worth nothing. Unless the response serializer refuses it: then it is ``refused``.
  case whole
  /// The part is all there is.
  case complete
  /// The part is of another version than the resource: it goes, and the whole is asked for.
  case changed
  /// The answer is of no use, and says nothing against the part: the whole is asked for, once.
  case unusable(String)
  /// There is no such resource any more: the part goes, and the answer is the result.
  case gone
  /// The answer is about something else (credentials, load, a portal): the part stays, and the task fails.
  case refused

  package init(_ part: KeptPart, _ answer: PartAnswer) {
    switch answer.status {
    case 206: self = Self.partial(part, answer)
    case 416: self = Self.unsatisfied(part, answer)
    case 200, 203:
      self = answer.hasRange && answer.range?.isWhole != true ? .unusable("it is 200 and names a part") : .whole
    case 404, 410, 412: self = .gone
    default: self = .refused
    }
  }

  private static func partial(_ part: KeptPart, _ answer: PartAnswer) -> ResumeDecision {
    if part.validator.contradicts(answer) { return .changed }
    if let total = answer.range?.total, let known = part.total, total != known { return .changed }
    if answer.isMultipart { return .unusable("it has several parts") }
    guard answer.isPlain else { return .unusable("it is in a content coding") }
    switch answer.range {
    case nil: return .unusable("it does not say which part it is")
    case .unsatisfied: return .unusable("it says that it is no part")
    case .behindEnd(_, let total):
      return total == part.position ? .complete : .unusable("it begins behind the end")
    case .part(let first, let end, let total):
      guard !answer.contradictsLength(first, end) else { return .unusable("its length is not that of its part") }
      guard first >= part.start, first <= part.position else { return .unusable("it begins elsewhere") }
      if end <= part.position {
        // The last bytes once more, and no others: there are none.
        return end == total && end == part.position && first == part.position
          ? .complete : .unusable("it begins elsewhere")
      }
      if let wanted = part.end, end > wanted { return .unusable("it is more than was asked for") }
      return .append(at: first, end: end, total: total ?? part.total)
    }
  }

  private static func unsatisfied(_ part: KeptPart, _ answer: PartAnswer) -> ResumeDecision {
    if part.validator.contradicts(answer) { return .changed }
    guard let total = answer.hasRange ? answer.range?.total : part.total else {
      return .unusable("it does not say how long the whole is")
    }
    // The server looked at If-Range before it said so: it is the same version, however long it was said to be before.
    if total == part.position { return .complete }
    if let known = part.total, total != known { return .changed }
    return total < part.position ? .changed : .unusable("it says that there is no rest")
  }
}

/// What an answer to the request for a whole download means.
package enum FirstDecision: Equatable {
  /// The body goes to the file as it is. `start` and `end` are where it stands in the whole, as far as the answer says so.
  case take(start: Int64?, end: Int64?)
  /// A part that was not asked for: the whole's first bytes, up to `end`.
  case begin(end: Int64, total: Int64?)
  /// A part of the whole, passed off as the whole.
  case refuse(String)

  package init(_ requested: RequestedRange, _ answer: PartAnswer) {
    switch (answer.status, requested) {
    case (206, .whole): self = Self.unasked(answer)
    case (206, .one):
      // The caller asked for a part, and looks at Content-Range himself.
      if case .part(let first, let end, _) = answer.range, !answer.isMultipart, !answer.contradictsLength(first, end) {
        self = .take(start: first, end: end)
      } else {
        self = .take(start: nil, end: nil)
      }
    case (206, .other): self = .take(start: nil, end: nil)
    case (200, _), (203, _):
      if case .part(_, _, let total?) = answer.range, answer.range?.isWhole != true, answer.contentLength != total {
        self = .refuse("it is 200 and names a part")
      } else {
        self = .take(start: 0, end: nil)
      }
    default: self = .take(start: nil, end: nil)
    }
  }

  private static func unasked(_ answer: PartAnswer) -> FirstDecision {
    if answer.isMultipart { return .refuse("it has several parts") }
    guard case .part(let first, let end, let total) = answer.range else {
      return .refuse("it does not say which part it is")
    }
    guard first == 0 else { return .refuse("it does not begin with the first byte") }
    guard !answer.contradictsLength(first, end) else { return .refuse("its length is not that of its part") }
    return .begin(end: end, total: total)
  }
}

/// What the end of a body that was received without a failure means for the file.
package enum BodyEndDecision: Equatable {
  case finished
  /// More has to be asked for.
  case goOn
  /// More came than the answer announced.
  case overrun
  /// Nothing came, though something was to.
  case stuck

  /// - Parameters:
  ///   - opened: Where in the whole the body began.
  ///   - position: Where in the whole it ended.
  ///   - end: Where it was to end by its Content-Range; nil if it has none.
  ///   - goal: Where the file is to end; nil if that is not known.
  package init(opened: Int64, position: Int64, end: Int64?, goal: Int64?) {
    if let end, position > end {
      self = .overrun
    } else if let goal {
      self = position >= goal ? .finished : position > opened ? .goOn : .stuck
    } else if end != nil {
      // A part of a whole whose length nobody knows: only the server can say that nothing follows.
      self = position > opened ? .goOn : .stuck
    } else {
      self = .finished
    }
  }
}
