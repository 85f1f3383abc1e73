package import AFTransport
import Foundation

/// What tells one version of a resource from another: a strong entity tag, or a date that is as good as one.
package struct PartValidator: Codable, Equatable, Sendable {
  /// The strong entity tag, quotes included.
  var entityTag: String?
  /// The Last-Modified field, as it came.
  var lastModified: String?
  /// Whether the date alone proves that two parts belong together (RFC 9110 §8.8.2.2).
  var isDateStrong = false

  init(entityTag: String? = nil, lastModified: String? = nil, isDateStrong: Bool = false) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.isDateStrong = isDateStrong
  }

  /// What a response says about its version; nil if nothing of it is strong.
  package init?(_ head: ResponseHead) {
    let tag = head.value("ETag")
    // Behind a weak tag a date is no stronger: two bodies of one second may differ.
    guard tag.map(Self.isStrong) ?? true else { return nil }
    entityTag = tag
    lastModified = head.value("Last-Modified")
    if let modified = lastModified.flatMap(HTTPDate.seconds), let date = head.value("Date").flatMap(HTTPDate.seconds) {
      // One minute, so that neither a second change within the second nor two clocks can deceive.
      isDateStrong = date - modified >= 60
    }
    guard entityTag != nil || isDateStrong else { return nil }
  }

  /// The value of If-Range: the tag, or else the date. Never a weak one (RFC 9110 §13.1.5).
  package var ifRange: String? { entityTag ?? (isDateStrong ? lastModified : nil) }

  /// Whether a response shows that it is of another version. What it does not say proves nothing: a 206 may leave out what
  /// the client has already, and a server that ignores If-Range is caught by what it says all the same.
  func contradicts(_ answer: PartAnswer) -> Bool {
    if let entityTag, let other = answer.entityTag { return other != entityTag }
    guard let lastModified, let other = answer.lastModified, other != lastModified else { return false }
    guard let first = HTTPDate.seconds(lastModified), let second = HTTPDate.seconds(other) else { return true }
    return first != second
  }

  /// A quoted tag without `W/` (RFC 9110 §8.8.3).
  static func isStrong(_ tag: String) -> Bool { tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"") }
}
