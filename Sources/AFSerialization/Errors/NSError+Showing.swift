internal import AFSupport
package import Foundation

extension NSError {
  /// What an error of the package shows of itself: its kind, what happened, and the URL without secrets. Foundation's own
  /// description prints the user info, and with it every header field and the body of a response.
  package var shownDescription: String {
    let name = self is ReaderError ? "Error" : "\(type(of: self))"
    let url = (userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString.redactedURL.printable()
    return "\(name)(\(domain) \(code)): \(localizedDescription.printable())" + (url.map { " (\($0))" } ?? "")
  }
}

/// The error of one of Foundation's readers with response and body in its user info, which its description leaves out.
final class ReaderError: NSError, @unchecked Sendable {
  // Unchecked because NSError is; it stores nothing.

  /// As it may be shown: a reader may quote what it read.
  override var localizedDescription: String { super.localizedDescription.printable() }

  override var description: String { shownDescription }
  override var debugDescription: String { shownDescription }

  /// Archived as what it was made of.
  override var classForCoder: AnyClass { NSError.self }
}
