import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension SessionCore {
  /// Adds the one Cookie field that the storage has for the request, unless the caller set it himself.
  func addCookies(to headers: inout [TransferRequest.HeaderField], _ request: HopRequest) {
    guard settings.sendsCookies, request.handlesCookies, let storage = settings.cookies,
      storage.cookies?.isEmpty == false, request.value("Cookie") == nil, let url = URL(string: request.url),
      let cookies = storage.cookies(for: url), !cookies.isEmpty
    else { return }
    let pairs = cookies.map { "\($0.name)=\($0.value)" }
    headers.append(TransferRequest.HeaderField("Cookie", pairs.joined(separator: "; ")))
  }
}

extension TaskCore {
  /// Stores the cookies of a response, also of a redirect, before the next hop asks for them.
  func keepCookies(of head: ResponseHead, _ session: SessionCore) {
    let lines = head.values("Set-Cookie")
    guard !lines.isEmpty, let storage = session.settings.cookies, session.settings.cookieAcceptPolicy != .never else {
      return
    }
    let (request, isServing) = state.withLock { ($0.current, $0.caching.isServing) }
    // Those of a kept response were stored when it came.
    guard !isServing, request.handlesCookies, let url = URL(string: request.url) else { return }
    for line in lines {
      // One line at a time: joined lines would be split at the comma of a date.
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": line], for: url)
        .filter { CookieScope.allows($0, from: url.host ?? "") }
      storage.setCookies(cookies, for: url, mainDocumentURL: request.foundation?.mainDocumentURL)
    }
  }
}
