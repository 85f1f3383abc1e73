import AFTransport
import Foundation

/// What a task knows about its download's file and the part that it goes on with.
struct DownloadState: Sendable {
  /// The part on disk that a request goes on with, or that is left for another task if the whole cannot be had.
  var kept: ResumeData?
  /// ``kept`` as the app gets it.
  var keptData: Data?
  /// Whether the app has resume data of that part already, so that a cancelled task must leave it.
  var isResumed = false
  /// Whether the running hop asks for the rest, or for the whole.
  var asksForRest = false
  var hasRestarted = false
  /// Whether the task has asked for more than once by itself.
  var hasGoneOn = false
  /// The body that is being written; nil if its file is of no use to another request.
  var writing: BodyInWriting?
  /// What the end of the body means; set when it has come without a failure.
  var bodyEnd: BodyEndDecision?
  /// Whether the present body is nobody's progress.
  var ignoresBody = false
  /// The bytes of which the write block has been told.
  var reported: Int64 = 0
  var resumeData: Data?
  var onResumeData: (@Sendable (Data?) -> Void)?

  /// Whether another request follows, though the file is being closed.
  var goesOn: Bool { bodyEnd == .goOn }
}

/// A body on its way to the file, by its place in the whole.
struct BodyInWriting: Sendable {
  /// Where the file begins.
  var start: Int64 = 0
  /// Where the body began.
  var opened: Int64 = 0
  /// Where the body is to end, by its Content-Range.
  var end: Int64?
  /// Where the file is to end; nil if that is not known.
  var goal: Int64?
  /// Where the caller's own range ends.
  var ownEnd: Int64?
  var total: Int64?
  /// The media type of the first answer, empty if it had none; nil if that is not known.
  var mediaType: String?
  /// Nil if nothing can be appended.
  var validator: PartValidator?

  /// What is in the file once it has so many bytes, if another request can go on with it.
  func part(length: Int64) -> KeptPart? {
    validator.map { KeptPart(start: start, length: length, end: ownEnd, total: total, validator: $0) }
  }

  /// The body of an answer to the request for the whole.
  init(_ decision: FirstDecision, _ head: ResponseHead) {
    let answer = PartAnswer(head)
    mediaType = head.mediaType
    let isUsable =
      [200, 203, 206].contains(head.statusCode) && answer.isPlain && !answer.isMultipart
      && head.value("Accept-Ranges")?.equalsIgnoringCase("none") != true
    if isUsable { validator = PartValidator(head) }
    switch decision {
    case .take(let first?, let last):
      start = first
      opened = first
      ownEnd = last
      total = last == nil ? answer.contentLength : answer.range?.total
    case .begin(let last, let whole):
      end = last
      goal = whole
      total = whole
    case .take(nil, _), .refuse: validator = nil
    }
  }

  /// The body of a 206 that goes on with a part.
  init(_ kept: ResumeData, at first: Int64, end last: Int64, total whole: Int64?) {
    let part = kept.part
    mediaType = kept.mediaType
    start = part.start
    opened = first
    end = last
    goal = part.end ?? whole
    ownEnd = part.end
    total = whole
    validator = part.validator
  }

  /// What to go on with once the file at `path` has so many bytes; nil if that is impossible.
  func resumeData(_ request: HopRequest, length: Int64, path: String) -> ResumeData? {
    part(length: length).flatMap { ResumeData(request, $0, mediaType: mediaType, path: path) }
  }

  func bodyEnd(received: Int64) -> BodyEndDecision {
    BodyEndDecision(opened: opened, position: opened.addingClamped(received), end: end, goal: goal)
  }
}

extension ResponseHead {
  /// The media type without parameters, in lower case; empty if there is none.
  var mediaType: String {
    (value("Content-Type") ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
  }
}
