import AFTransport
import Foundation
import FoundationNetworking

/// What is needed to go on with a download: a small archive that names the partial file and how to prove that the rest
/// belongs to it.
struct ResumeData: Codable, Sendable {
  private static let currentVersion = 1

  var version = Self.currentVersion
  var url: String
  var method: String
  var headers: [[String]]
  /// A strong entity tag or a date that is as good as one (RFC 9110 §13.1.5).
  var validator: String
  /// The length of the whole, if the server told it.
  var total: Int64?
  var path: String
  var offset: Int64

  init?(_ data: Data) {
    guard let value = try? PropertyListDecoder().decode(Self.self, from: data), value.version == Self.currentVersion
    else { return nil }
    self = value
  }

  /// Nil if the response has no validator, or the server takes no ranges.
  init?(_ request: HopRequest, _ head: ResponseHead, total: Int64?, path: String, offset: Int64) {
    guard offset > 0, request.method == "GET", head.value("Accept-Ranges")?.lowercased() != "none",
      head.value("Content-Encoding") == nil, let validator = Self.validator(of: head)
    else { return nil }
    url = request.url
    method = request.method
    headers = request.headers.filter { !Self.rangeFields.contains($0.name.lowercased()) }.map { [$0.name, $0.value] }
    self.validator = validator
    self.total = total
    self.path = path
    self.offset = offset
  }

  private static let rangeFields: Set<String> = ["range", "if-range"]

  var data: Data? {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return try? encoder.encode(self)
  }

  /// The request for the whole.
  var request: HopRequest {
    HopRequest(
      url: url, method: method,
      headers: headers.compactMap { $0.count == 2 ? TransferRequest.HeaderField($0[0], $0[1]) : nil })
  }

  /// The request for the rest.
  var requestForRest: HopRequest {
    var request = request
    request.set("Range", "bytes=\(offset)-")
    request.set("If-Range", validator)
    return request
  }

  /// A strong entity tag; else a Last-Modified that lies at least a minute before the response (RFC 9110 §8.8.2.2).
  static func validator(of head: ResponseHead) -> String? {
    if let tag = head.value("ETag") { return tag.hasPrefix("W/") || !tag.hasPrefix("\"") ? nil : tag }
    guard let modified = head.value("Last-Modified"), let date = head.value("Date"),
      let modifiedDate = httpDate(modified), let responseDate = httpDate(date),
      responseDate.timeIntervalSince(modifiedDate) >= 60
    else { return nil }
    return modified
  }

  private static func httpDate(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text)
  }
}
