import COpenSSL
import Foundation

/// The paths to the anchors of one store that OpenSSL lately found valid.
///
/// Whether each certificate on a path signed the next one and was allowed to depends on their bytes and on the anchors alone;
/// checking it costs more than the rest of a verdict, and a client meets the same few servers again and again. What depends on the
/// moment or on the question (dates, names, pins, revocation) is never remembered, and neither is a refusal.
struct ValidPaths {
  /// A chain as it was presented. Certificates are told apart as objects: ``DecodedCertificates`` gives the same one for the same
  /// bytes, and an entry keeps its own alive.
  private struct Entry {
    let presented: [X509Handle]
    let path: [X509Handle]
  }

  private var recent = RecentEntries<[ObjectIdentifier], Entry>(capacity: 128)

  /// The path of this chain if it is known. Whether it still holds is for ``isCurrent(_:at:)`` to say.
  func path(of presented: [X509Handle]) -> [X509Handle]? {
    recent[presented.map(ObjectIdentifier.init)]?.path
  }

  /// Whether every certificate on a path is valid at `date`; nil means now.
  static func isCurrent(_ path: [X509Handle], at date: Date?) -> Bool {
    var moment = date?.openSSLTime ?? time(nil)
    // Before or at is −1, after is 1, and 0 is a date that cannot be read.
    return path.allSatisfy {
      X509_cmp_time(X509_get0_notBefore($0.pointer), &moment) == -1
        && X509_cmp_time(X509_get0_notAfter($0.pointer), &moment) == 1
    }
  }

  mutating func insert(_ path: [X509Handle], of presented: [X509Handle]) {
    recent.insert(Entry(presented: presented, path: path), for: presented.map(ObjectIdentifier.init))
  }
}
