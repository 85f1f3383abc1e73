import AFSerialization
import AFSupport
import AFTransport
package import Foundation
import FoundationNetworking

/// What is needed to go on with a download: a small archive that names the request, the partial file, and how to prove that the
/// rest belongs to it.
package struct ResumeData: Codable, Sendable {
  /// Version 1 held the redirected request, and neither ranges nor a second validator.
  private static let currentVersion = 2
  /// More than any request's header fields make.
  private static let sizeLimit = 4 << 20

  var version = Self.currentVersion
  /// The first request's: redirects are followed anew (RFC 9110 §15.4.3).
  var url: String
  var method: String
  var headers: [[String]]
  /// A strong entity tag, or a date that is as good as one (RFC 9110 §13.1.5).
  var validator: String
  var lastModified: String?
  /// The length of the whole, if the server told it.
  var total: Int64?
  var path: String
  /// Bytes in the file.
  var offset: Int64
  /// Where in the whole the file begins and ends, if the caller asked for a range.
  var start: Int64?
  var end: Int64?
  /// The media type of the first answer, empty if it had none; nil if that is not known.
  var mediaType: String?

  package init?(_ data: Data) {
    guard let value = try? Self.read(data), value.isSound else { return nil }
    self = value
  }

  private static func read(_ data: Data) throws -> ResumeData {
    guard data.count <= sizeLimit else { throw CocoaError(.coderReadCorrupt) }
    guard data.starts(with: Data("bplist".utf8)) else { return try JSONDecoder().decode(Self.self, from: data) }
    // Version 1 was a binary property list.
    try BinaryPropertyListGuard.check(data)
    return try PropertyListDecoder().decode(Self.self, from: data)
  }

  /// Nil if there is nothing to go on with.
  init?(_ request: HopRequest, _ part: KeptPart, mediaType: String?, path: String) {
    guard part.length > 0, request.method == "GET", request.body.isEmpty, let condition = part.validator.ifRange else {
      return nil
    }
    url = request.url
    method = request.method
    headers = request.headers.map { [$0.name, $0.value] }
    validator = condition
    lastModified = part.validator.lastModified
    total = part.total
    self.path = path
    offset = part.length
    start = part.start == 0 ? nil : part.start
    end = part.end
    self.mediaType = mediaType
  }

  /// Whether it says what can be true. It may come from a file that something else has written.
  private var isSound: Bool {
    guard (1...Self.currentVersion).contains(version), method == "GET", Origin(url) != nil, DownloadFile.isOurs(path),
      offset > 0, offset < .max, headers.allSatisfy({ $0.count == 2 }),
      PartValidator.isStrong(validator) || HTTPDate.seconds(validator) != nil
    else { return false }
    let first = start ?? 0
    guard first >= 0, first < .max - offset else { return false }
    return end.map { $0 >= first + offset } ?? true && total.map { $0 >= 0 } ?? true
  }

  package var data: Data? { try? JSONEncoder().encode(self) }

  /// What is kept, and of what.
  package var part: KeptPart {
    let isTag = validator.hasPrefix("\"")
    return KeptPart(
      start: start ?? 0, length: offset, end: end, total: total,
      validator: PartValidator(
        entityTag: isTag ? validator : nil, lastModified: isTag ? lastModified : validator, isDateStrong: !isTag))
  }

  /// The request that the download began with.
  var request: HopRequest {
    var request = HopRequest(
      url: url, method: method, headers: headers.map { TransferRequest.HeaderField($0[0], $0[1]) })
    // A request that a redirect took to another origin has lost its own credentials, and must not get the session's.
    if version == 1 { request.keepsCredentials = request.value("Authorization") != nil }
    return request
  }
}

extension HopRequest {
  /// The same request for what is missing.
  func forRest(of part: KeptPart) -> HopRequest {
    guard let condition = part.validator.ifRange else { return self }
    var request = self
    request.set("Range", part.range)
    request.set("If-Range", condition)
    return request
  }
}

/// Resume data as the app gave it, and what was read of it, if anything could be.
struct ResumeSource: Sendable {
  let data: Data
  let value: ResumeData?

  init(_ data: Data) {
    self.data = data
    value = ResumeData(data)
  }

  /// The request that the download began with.
  var request: HopRequest { value?.request ?? HopRequest(url: "", method: "GET") }
}
