package import Foundation
internal import FoundationNetworking

extension NSError {
  /// This error with another one underneath it, unless it has one already.
  package func withUnderlying(_ underlying: NSError?) -> NSError {
    guard let underlying, userInfo[NSUnderlyingErrorKey] == nil else { return self }
    if let error = self as? AFURLResponseSerializationError {
      return AFURLResponseSerializationError(
        error.reason, response: error.response, data: error.data, underlyingError: underlying, cause: error.cause)
    }
    var info = userInfo
    info[NSUnderlyingErrorKey] = underlying
    return ReaderError(domain: domain, code: code, userInfo: info)
  }

  /// This error with more about its circumstances, where it has nothing under a key.
  package func adding(_ circumstances: [String: Any]) -> NSError {
    let info = userInfo.merging(circumstances) { own, _ in own }
    return info.count == userInfo.count ? self : ReaderError(domain: domain, code: code, userInfo: info)
  }

  /// Whether this error, or one underneath it, says that the content type was refused.
  package var refusesContentType: Bool {
    var next: NSError? = self
    while let error = next {
      if error.domain == AFURLResponseSerializationErrorDomain,
        error.code == URLError.Code.cannotDecodeContentData.rawValue
      {
        return true
      }
      next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return false
  }
}
