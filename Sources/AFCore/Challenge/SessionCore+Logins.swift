import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension SessionCore {
  /// What the session's credential storage has for a space.
  func storedLogin(_ asker: Asker, _ space: AuthenticationOffer.Space) -> Login? {
    guard let storage = settings.credentials, let wanted = asker.protectionSpace(space),
      // Foundation on Linux compares protection spaces by identity.
      let stored = storage.allCredentials.keys.first(where: { $0.isSame(as: wanted) }),
      let credential = storage.defaultCredential(for: stored) ?? storage.credentials(for: stored)?.values.first
    else { return nil }
    return Login(credential)
  }

  /// What `asker` has accepted in a space, if it still stands where it came from.
  func answer(to asker: Asker, in space: AuthenticationOffer.Space, for task: TaskCore) -> AuthenticationAnswer? {
    logins.answer(to: asker, in: space).flatMap { valid($0, asker, task) }
  }

  /// What is sent to `asker` before it asks.
  func answer(to asker: Asker, path: String, for task: TaskCore) -> AuthenticationAnswer? {
    logins.answer(to: asker, path: path).flatMap { valid($0, asker, task) }
  }

  /// Credentials whose handler has been replaced, or that were taken out of the storage, are no longer used; and a URL that names
  /// its user means that one.
  private func valid(_ answer: AuthenticationAnswer, _ asker: Asker, _ task: TaskCore) -> AuthenticationAnswer? {
    let (url, generation) = task.state.withLock { ($0.current.url, $0.owner.blocks.blocks.challengeGeneration) }
    if !asker.isProxy {
      let named = url.login
      if let named { return named == answer.login ? answer : nil }
      if answer.source == .url { return nil }
    }
    let isGood =
      switch answer.source {
      case .handler(let number): number == generation
      case .storage: storedLogin(asker, answer.space) == answer.login
      case .url, .proxySettings: true
      }
    if !isGood { logins.forget(answer.login, in: answer.space, of: asker) }
    return isGood ? answer : nil
  }
}

extension ProxyRoute {
  /// The proxy as who asks; nil without one, and for SOCKS, which does not ask by HTTP.
  var asker: Asker? {
    guard case .proxy(let url, _, _) = self, !url.lowercased().hasPrefix("socks") else { return nil }
    return .proxy(url: url)
  }

  /// The credentials that are part of the route.
  var login: Login? {
    if case .proxy(_, let user?, let password) = self { return Login(user: user, password: password ?? "") }
    return nil
  }

  /// The route without credentials where they are ours to send, not libcurl's.
  var withoutLogin: ProxyRoute {
    guard asker != nil, case .proxy(let url, .some, _) = self else { return self }
    return .proxy(url: url, user: nil, password: nil)
  }
}

extension Asker {
  /// As Foundation says it.
  func protectionSpace(_ space: AuthenticationOffer.Space) -> URLProtectionSpace? {
    switch self {
    case .server(let origin):
      return URLProtectionSpace(
        host: origin.host, port: origin.port, protocol: origin.scheme, realm: space.realm,
        authenticationMethod: space.scheme.method)
    case .proxy(let text):
      guard let url = URL(string: text), let host = url.host else { return nil }
      let isSecure = url.scheme == "https"
      return URLProtectionSpace(
        // libcurl's port for proxies that name none.
        proxyHost: host, port: url.port ?? (isSecure ? 443 : 1080),
        type: isSecure ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy, realm: space.realm,
        authenticationMethod: space.scheme.method)
    }
  }
}

extension URLProtectionSpace {
  /// Which kind of proxy it is plays no part: one proxy is used for several.
  fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
    host.equalsIgnoringCase(other.host) && port == other.port && realm == other.realm
      && isProxy() == other.isProxy()
      && (`protocol` ?? "").equalsIgnoringCase(other.`protocol` ?? "")
      && (authenticationMethod == other.authenticationMethod
        || authenticationMethod == NSURLAuthenticationMethodDefault)
  }
}

extension String {
  /// The user and the password in a URL.
  var login: Login? {
    guard utf8.contains(UInt8(ascii: "@")), let parts = URLComponents(string: self), let user = parts.user else {
      return nil
    }
    return Login(user: user, password: parts.password ?? "")
  }
}
