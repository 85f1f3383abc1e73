internal import AFSupport
package import Foundation

extension NSError {
  /// What an error of the package shows of itself: its kind, what happened, and the URL without secrets. Foundation's own
  /// description prints the user info, and with it every header field and the body of a response.
  package var shownDescription: String {
    let url = (userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString.redactedURL.printable()
    return "\(type(of: self))(\(domain) \(code)): \(localizedDescription.printable())" + (url.map { " (\($0))" } ?? "")
  }
}
