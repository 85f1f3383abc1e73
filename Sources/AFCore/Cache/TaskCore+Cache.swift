import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Finds out whether the hop that is being started goes over the network.
  func useCache(for request: HopRequest, _ session: SessionCore, isStubbed: Bool) -> CacheUse {
    let policy = session.settings.cachePolicy(for: request)
    // Without a cache of our own `only-if-cached` is for caches on the way.
    guard let cache = session.cache else { return goes(request, policy, CacheControl(), isStubbed) }
    let control = session.settings.cacheControl(of: request)
    guard request.isCacheable else { return goes(request, policy, control, isStubbed) }
    let caching = state.withLock { state -> HopCaching in
      defer {
        state.caching.replay = nil
        state.caching.bypasses = false
      }
      return state.caching
    }
    let now = Date().timeIntervalSince1970
    if let replay = caching.replay {
      return .serves(CachedAnswer(replay.stored, at: now, isConfirmed: replay.isConfirmed))
    }
    if caching.bypasses { return .loads(nil, policy.fieldsForOthers) }
    guard policy.readsCache else { return goes(request, policy, control, isStubbed) }
    if !caching.wasAsked {
      let url = request.url.withoutFragment
      if !policy.prefersCache, cache.isKnownToLack(url) { return goes(request, policy, control, isStubbed) }
      ask(cache, url, sentFields(request, session), thorough: policy.prefersCache)
      return .isAsked
    }
    // Asked again: a task that was suspended in between may have got another token.
    guard let stored = caching.stored, stored.answers(sentFields(request, session)) else {
      state.withLock { state in
        state.caching.wasAsked = false
        state.caching.stored = nil
      }
      return goes(request, policy, control, isStubbed)
    }
    state.withLock { $0.caching.wasAsked = false }
    if isStubbed { return .loads(stored, []) }
    let mayRevalidate = mayRevalidate(request)
    switch CacheDecision(policy, control, stored.rules, mayRevalidate: mayRevalidate, at: now) {
    case .serve: return .serves(CachedAnswer(stored, at: now))
    case .serveWhileRevalidating:
      revalidate(stored, cache, session)
      return .serves(CachedAnswer(stored, at: now))
    case .load, .fail: return .loads(nil, policy.fieldsForOthers)
    case .refuse: return .serves(.refusal(at: now))
    case .validate:
      state.withLock { $0.caching.isValidating = true }
      return .loads(nil, policy.fieldsForOthers + stored.rules.conditions)
    }
  }

  /// The way of a request for which nothing is kept, or may be looked up.
  private func goes(_ request: HopRequest, _ policy: URLRequest.CachePolicy, _ control: CacheControl, _ isStubbed: Bool)
    -> CacheUse
  {
    let now = Date().timeIntervalSince1970
    switch CacheDecision(policy, control, nil, mayRevalidate: false, at: now) {
    // A stub is no network, and sees the policy in its request.
    case .fail where !isStubbed:
      fail(
        URLError.make(
          .resourceUnavailable, url: request.url, "Nothing is kept for the request, and it must not be loaded"))
      return .isRefused
    case .refuse where !isStubbed: return .serves(.refusal(at: now))
    default: return .loads(nil, policy.fieldsForOthers)
    }
  }

  /// Asks the cache, which may read the disk, and starts the hop again with its answer.
  private func ask(_ cache: ResponseCache, _ url: String, _ sent: SentFields, thorough: Bool) {
    guard let question = TaskQuestion.open(.lookup, of: self) else { return }
    cache.find(url, sent, thorough: thorough) { [self] stored in
      guard question.close() else { return }
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

  /// Remembers what the request is sent with, and when.
  func note(sent fields: [TransferRequest.HeaderField], _ request: HopRequest, _ session: SessionCore) {
    let sent = sentFields(request, fields, session)
    let moment = session.cache?.moment
    state.withLock { state in
      state.caching.sent = sent
      state.caching.sentAt = moment
    }
  }

  /// Begins a hop that is answered with what the cache has, or says.
  func serve(_ answer: CachedAnswer) -> TransferHandle {
    state.withLock { $0.caching.isServing = true }
    let transfer = LocalTransfer(task: self)
    return transfer.start {
      transfer.receive(answer.head, length: Int64(answer.body.count))
      transfer.receive(answer.body)
      transfer.finish()
    }
  }

  // MARK: What a response means for what is kept

  /// Looks at a response that came over the network.
  /// - Returns: Whether it is not the task's response, but says that a kept one is.
  func takesNote(of head: ResponseHead, _ cache: ResponseCache) -> Bool {
    let (caching, request, session) = state.withLock { ($0.caching, $0.current, $0.session) }
    guard !caching.isServing, let session else { return false }
    for url in CacheInvalidation.urls(after: request, head) { cache.invalidate(url) }
    let url = request.url.withoutFragment
    let now = Date().timeIntervalSince1970
    let sent = caching.sent ?? SentFields(request.headers)
    if request.mayFreshen, let moment = caching.sentAt {
      cache.freshen(url, sent, with: head, requested: caching.requested, received: now, since: moment)
    }
    guard let stored = caching.stored else { return false }
    let answer = CacheAnswer(
      head, to: stored.rules, wasAsked: caching.isValidating, session.settings.standInControl(of: request), at: now)
    let replay: HopCaching.Replay?
    switch answer {
    case .none: return false
    case .replaces:
      cache.remove(url, stored.selector)
      return false
    case .isAboutAnother: replay = nil
    case .standsIn: replay = HopCaching.Replay(stored: stored, isConfirmed: false)
    case .confirms:
      guard let fresh = stored.refreshed(by: head, requested: caching.requested, received: now, sent) else {
        return false
      }
      keep(fresh, inPlaceOf: stored, cache, url, caching.sentAt)
      replay = HopCaching.Replay(stored: fresh, isConfirmed: true)
    }
    state.withLock { state in
      state.next = state.current
      state.caching.replay = replay
      state.caching.bypasses = replay == nil
    }
    return true
  }

  private func keep(
    _ fresh: StoredResponse, inPlaceOf stored: StoredResponse, _ cache: ResponseCache, _ url: String,
    _ moment: InvalidationLedger.Moment?
  ) {
    guard fresh.rules.isStorable, let moment else { return cache.remove(url, stored.selector) }
    // Else it would be asked for again all the same.
    let changes = fresh.rules.isUsefulUnasked || fresh.rules.conditions != stored.rules.conditions
    if changes { cache.keep(fresh, for: url, since: moment, replacing: stored.selector) }
  }
}

extension SessionSettings {
  /// The directives of a request for which something stale may stand in; nil where its policy allows none.
  fileprivate func standInControl(of request: HopRequest) -> CacheControl? {
    cachePolicy(for: request) == .useProtocolCachePolicy ? cacheControl(of: request) : nil
  }
}

extension ManagerCore {
  /// The client certificate that the security policy shows to the server of a URL: who is asking is said by it as well.
  fileprivate func certificateShown(to url: String) -> String? {
    guard let server = Origin(url), server.isSecure else { return nil }
    let identity = securityPolicy.snapshot().requirements(forHost: server.host).clientIdentity
    return identity?.certificates.first.map { $0.sha256Fingerprint.base64EncodedString() }
  }
}

extension TaskState {
  /// The request whose answer, out of the cache, takes the place of a failure, where the kept response allows that (RFC 5861 §4).
  mutating func standIn(for failure: TransferFailure) -> HopRequest? {
    guard let stored = caching.stored, !failure.responseStarted,
      [.transport, .connectionLost, .idleTimeout].contains(failure.kind) || failure.isOutageOfProxy,
      let control = session?.settings.standInControl(of: current),
      stored.rules.isUsable(afterErrorAt: Date().timeIntervalSince1970, for: control)
    else { return nil }
    caching.replay = HopCaching.Replay(stored: stored, isConfirmed: false)
    return current
  }
}
