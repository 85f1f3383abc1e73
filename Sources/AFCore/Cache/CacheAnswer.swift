package import AFTransport

/// What a server's answer means for what is kept.
package enum CacheAnswer: Equatable, Sendable {
  /// It is the response, and what is kept stays as it is.
  case none
  /// It is the response, and what is kept is out of date, whether the new one is kept or not.
  case replaces
  /// What is kept is still good (RFC 9111 §4.3.3), with the fields of the answer.
  case confirms
  /// It says so of another response than ours: the server is asked again as if there were none.
  case isAboutAnother
  /// What is kept stands in for the error (RFC 5861 §4).
  case standsIn

  /// The meaning of `answer` for `stored`, which is kept for the request. `wasAsked`: whether the server was asked if it is still good.
  /// `request`: the request's directives; nil where nothing that is stale may be used.
  package init(_ answer: ResponseHead, to stored: CacheRules, wasAsked: Bool, _ request: CacheControl?, at now: Double)
  {
    switch answer.statusCode {
    case 304 where wasAsked: self = stored.isConfirmed(by: answer) ? .confirms : .isAboutAnother
    case 500, 502, 503, 504:
      self = request.map { stored.isUsable(afterErrorAt: now, for: $0) } == true ? .standsIn : .none
    case 200..<304, 305..<400, 404, 410: self = .replaces
    default: self = .none
    }
  }
}

/// What the answer to a HEAD means for the response to a GET that is kept (RFC 9111 §4.3.5).
package enum CacheHeadAnswer: Equatable, Sendable {
  case none
  /// It is the same: its fields are brought up to date.
  case updates
  /// It is another by now.
  case outdates

  package init(_ answer: ResponseHead, to stored: CacheRules, length: Int) {
    guard answer.statusCode == 200 else {
      self = .none
      return
    }
    var isSame = true
    if let tag = answer.value("ETag") { isSame = isSame && stored.head.value("ETag") == tag }
    if let modified = answer.value("Last-Modified") {
      isSame = isSame && stored.head.value("Last-Modified") == modified
    }
    if let announced = answer.value("Content-Length") {
      // Of a body that came in a content coding the length is not known any more, unless the head told it.
      let own = stored.head.value("Content-Encoding") == nil ? "\(length)" : stored.head.value("Content-Length")
      isSame = isSame && own == announced
    }
    self = isSame ? .updates : .outdates
  }
}

extension CacheRules {
  /// The fields that ask whether the response is still good (RFC 9111 §4.3.1).
  package var conditions: [TransferRequest.HeaderField] {
    var fields: [TransferRequest.HeaderField] = []
    if let tag = head.value("ETag") { fields.append(.init("If-None-Match", tag)) }
    if let modified = head.value("Last-Modified") { fields.append(.init("If-Modified-Since", modified)) }
    return fields
  }

  /// Whether a 304 speaks of this response (RFC 9111 §4.3.4): its validators, as far as it has any, are ours. The comparison is weak, since
  /// a GET asked (RFC 9110 §13.1.2).
  package func isConfirmed(by answer: ResponseHead) -> Bool {
    if let tag = answer.value("ETag"), let own = head.value("ETag") { return Self.opaque(tag) == Self.opaque(own) }
    guard let date = answer.value("Last-Modified"), let own = head.value("Last-Modified") else { return true }
    return date == own || HTTPDate.seconds(date).map { $0 == HTTPDate.seconds(own) } == true
  }

  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
