import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Finds out whether the hop that is being started goes over the network.
  func useCache(for request: HopRequest, _ session: SessionCore, isStubbed: Bool) -> CacheUse {
    let policy = session.settings.cachePolicy(for: request)
    guard let cache = session.cache, request.isCacheable else { return loads(request, policy, isStubbed) }
    let caching = state.withLock { state -> HopCaching in
      defer {
        state.caching.replay = nil
        state.caching.bypasses = false
      }
      return state.caching
    }
    if let replay = caching.replay { return .serves(replay) }
    guard policy.readsCache, !caching.bypasses else { return loads(request, policy, isStubbed) }
    if !caching.wasAsked {
      let url = request.url.withoutFragment
      if !policy.prefersCache, cache.isKnownToLack(url) { return .loadsPlainly }
      ask(cache, url, sentFields(request, session), thorough: policy.prefersCache)
      return .isAsked
    }
    state.withLock { $0.caching.wasAsked = false }
    // Asked again: a task that was suspended in between may have got another token.
    guard let stored = caching.stored, stored.answers(sentFields(request, session)) else {
      return loads(request, policy, isStubbed)
    }
    if isStubbed { return .loads(stored, []) }
    switch CacheDecision(policy, request.cacheControl, stored.rules, at: Date().timeIntervalSince1970) {
    case .serve: return .serves(stored)
    case .load: return .loadsPlainly
    case .validate:
      state.withLock { $0.caching.isValidating = true }
      // Else a cache on the way could answer in the server's place.
      let fields =
        policy == .reloadRevalidatingCacheData ? [TransferRequest.HeaderField("Cache-Control", "max-age=0")] : []
      return .loads(nil, fields + stored.rules.conditions)
    }
  }

  /// The way of a request for which nothing is kept, or may be used.
  private func loads(_ request: HopRequest, _ policy: URLRequest.CachePolicy, _ isStubbed: Bool) -> CacheUse {
    switch policy {
    // A stub is no network, and sees the policy in its request.
    case .returnCacheDataDontLoad where !isStubbed:
      fail(
        URLError.make(
          .resourceUnavailable, url: request.url, "Nothing is kept for the request, and it must not be loaded"))
      return .isRefused
    case .reloadIgnoringLocalAndRemoteCacheData:
      return .loads(nil, [.init("Cache-Control", "no-cache"), .init("Pragma", "no-cache")])
    default: return .loadsPlainly
    }
  }

  /// Asks the cache, which may read the disk, and starts the hop again with its answer.
  private func ask(_ cache: ResponseCache, _ url: String, _ sent: SentFields, thorough: Bool) {
    let question = state.withLock { state -> Int? in
      guard !state.isCancelled, !state.isOver else { return nil }
      state.questions += 1
      state.openQuestion = state.questions
      state.phase = .asking(state.questions)
      return state.questions
    }
    // Whoever cancelled in between left the end to the hop.
    guard let question else { return finish() }
    cache.find(url, sent, thorough: thorough) { [self] stored in
      guard close(question) else { return }
      let starts = state.withLock { state in
        guard !state.isOver, !state.isCancelled else { return false }
        state.caching.wasAsked = true
        state.caching.stored = stored
        state.phase = state.isSuspended ? .ready : .starting
        if state.isSuspended { state.hopCount -= 1 }
        return !state.isSuspended
      }
      if starts { startHop() }
    }
  }

  /// What the request is sent with, on which its response may depend.
  private func sentFields(_ request: HopRequest, _ session: SessionCore) -> SentFields {
    sentFields(request, session.headers(of: request), session)
  }

  private func sentFields(_ request: HopRequest, _ fields: [TransferRequest.HeaderField], _ session: SessionCore)
    -> SentFields
  {
    let isCallers =
      request.value("Cookie") != nil
      || session.settings.additionalHeaders.contains { $0.name.equalsIgnoringCase("Cookie") }
    let manager = state.withLock { $0.manager }
    return SentFields(
      fields, hasStoredCookies: !isCallers, certificate: manager?.core.certificateShown(to: request.url))
  }

  /// Remembers what the request is sent with.
  func note(sent fields: [TransferRequest.HeaderField], _ request: HopRequest, _ session: SessionCore) {
    let sent = sentFields(request, fields, session)
    state.withLock { $0.caching.sent = sent }
  }

  /// Begins a hop that is answered with what is kept.
  func serve(_ stored: StoredResponse) -> TransferHandle {
    state.withLock { $0.caching.isServing = true }
    let transfer = LocalTransfer(task: self)
    return transfer.start {
      transfer.receive(stored.rules.head, length: Int64(stored.cached.data.count))
      transfer.receive(stored.cached.data)
      transfer.finish()
    }
  }

  // MARK: What a response means for what is kept

  /// Looks at a response that came over the network.
  /// - Returns: Whether it is not the task's response, but says that a kept one is.
  func takesNote(of head: ResponseHead, _ cache: ResponseCache) -> Bool {
    let (caching, request) = state.withLock { ($0.caching, $0.current) }
    guard !caching.isServing else { return false }
    if !Self.safeMethods.contains(request.method) { invalidate(request, head, cache) }
    guard caching.isValidating, let stored = caching.stored else { return false }
    let url = request.url.withoutFragment
    let now = Date().timeIntervalSince1970
    var replay: StoredResponse?
    switch head.statusCode {
    case 304 where stored.rules.isConfirmed(by: head):
      let sent = caching.sent ?? SentFields(request.headers)
      guard let fresh = stored.refreshed(by: head, requested: caching.requested, received: now, sent) else {
        return false
      }
      replay = fresh
      if !fresh.rules.isStorable {
        cache.remove(url, stored.selector)
      } else if fresh.rules.lifetime > 0 || fresh.rules.conditions != stored.rules.conditions {
        // Else it would be asked for again all the same.
        cache.keep(fresh, for: url, replacing: stored.selector)
      }
    case 304: break
    case 500, 502, 503, 504:
      guard stored.rules.isUsable(afterErrorAt: now) else { return false }
      replay = stored
    case 200..<400, 404, 410:
      // There is a newer one, whether it will be kept or not.
      cache.remove(url, stored.selector)
      return false
    default: return false
    }
    state.withLock { state in
      state.next = state.current
      state.caching.replay = replay
      state.caching.bypasses = replay == nil
    }
    return true
  }

  private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

  /// After a change, what is kept for the URL that was changed is no longer true (RFC 9111 §4.4).
  private func invalidate(_ request: HopRequest, _ head: ResponseHead, _ cache: ResponseCache) {
    guard (200..<400).contains(head.statusCode) else { return }
    cache.remove(request.url.withoutFragment)
    for name in ["Location", "Content-Location"] {
      guard let value = head.value(name), let target = Redirect.target(value, from: request.url),
        Origin.areSame(target, request.url)
      else { continue }
      cache.remove(target.withoutFragment)
    }
  }
}

extension ManagerCore {
  /// The client certificate that the security policy shows to the server of a URL: who is asking is said by it as well.
  fileprivate func certificateShown(to url: String) -> String? {
    guard let server = Authority(url: url), server.isSecure else { return nil }
    let identity = securityPolicy.snapshot().requirements(forHost: server.host).clientIdentity
    return identity?.certificates.first.map { $0.sha256Fingerprint.base64EncodedString() }
  }
}

extension TaskState {
  /// The request whose answer, out of the cache, takes the place of a failure, where the kept response allows that (RFC 5861 §4).
  mutating func standIn(for failure: TransferFailure) -> HopRequest? {
    guard caching.isValidating, let stored = caching.stored, !failure.responseStarted,
      [.transport, .connectionLost, .idleTimeout].contains(failure.kind),
      stored.rules.isUsable(afterErrorAt: Date().timeIntervalSince1970)
    else { return nil }
    caching.replay = stored
    return current
  }
}
