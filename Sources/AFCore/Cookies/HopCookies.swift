import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// A change of a jar, which a task waits for before its completion runs, so that the completion finds the cookie in the storage.
struct CookieTicket: Sendable {
  let jar: CookieJar
  let number: Int
}

extension SessionCore {
  /// Adds the one Cookie field that the jar has for the request, unless the caller set one.
  func addCookies(to headers: inout [TransferRequest.HeaderField], _ request: HopRequest) {
    // Most jars are empty; then nothing is made of the request.
    guard let cookies, settings.sendsCookies, request.handlesCookies, !cookies.isEmpty,
      !headers.contains(where: { $0.name.equalsIgnoringCase("Cookie") }),
      let url = CookieURL(request.url), let field = cookies.field(for: url, at: Date().timeIntervalSince1970)
    else { return }
    headers.append(TransferRequest.HeaderField("Cookie", field))
  }

  /// Whether the policies of session and storage let a server's cookies in.
  fileprivate func acceptsCookies(_ request: HopRequest, from url: CookieURL, _ jar: CookieJar) -> Bool {
    let policies = [settings.cookieAcceptPolicy, jar.acceptPolicy]
    if policies.contains(.never) { return false }
    guard policies.contains(.onlyFromMainDocumentDomain), let main = request.foundation?.mainDocumentURL else {
      return true
    }
    return CookieURL(main.absoluteString)?.isSameSite(as: url) ?? false
  }
}

/// One hop and the session's cookies.
struct HopCookies: Sendable {
  let task: TaskCore
  let session: SessionCore

  /// Takes note of what the app has put into the storage since the last task. On the thread that starts the task.
  func look() {
    guard let cookies = session.cookies else { return }
    if task.state.withLock({ $0.current.handlesCookies }) { cookies.look() }
  }

  /// Stores the cookies of a response, also of a redirect, before the next hop asks for them.
  func keep(of head: ResponseHead) {
    guard let jar = session.cookies, head.hasField(in: ["Set-Cookie"]) else { return }
    let (request, isServing) = task.state.withLock { ($0.current, $0.ledger.caching.isServing) }
    // Those of a kept response were stored when it came.
    guard !isServing, request.handlesCookies, let url = CookieURL(request.url),
      session.acceptsCookies(request, from: url, jar)
    else { return }
    let fields = head.bytes(of: "Set-Cookie")
    guard let number = jar.keep(fields, from: url, at: Date().timeIntervalSince1970) else { return }
    task.state.withLock { $0.ledger.cookies = CookieTicket(jar: jar, number: number) }
  }
}

extension CookieTicket? {
  /// `sequel`, called when the storage shows the task's cookies.
  func hold(_ sequel: @escaping TransferSequel) -> TransferSequel {
    guard let self else { return sequel }
    return { self.jar.whenShown(self.number, sequel) }
  }
}
