internal import Foundation

extension Error {
  /// What an error of anybody's says, as it may be shown. Foundation's errors print their user info, and with it whole URLs and
  /// the tokens in them; other errors without a text of their own say most by their cases.
  package var shownText: String {
    // URLError and CocoaError are structures of Foundation's with an NSError within.
    let saysMuch = type(of: self) is NSError.Type || self is any CustomNSError
    return (saysMuch || self is any LocalizedError ? localizedDescription : "\(self)").printable()
  }
}
