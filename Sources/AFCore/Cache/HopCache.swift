import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// One hop and the cache: whether it goes over the network, and what its response means for what is kept.
struct HopCache: Sendable {
  let task: TaskCore
  let session: SessionCore

  /// Finds out whether the hop that is being started goes over the network.
  func use(for request: HopRequest, isStubbed: Bool) -> CacheUse {
    let policy = session.settings.cachePolicy(for: request)
    // Without a cache of our own `only-if-cached` is for caches on the way.
    guard let cache = session.cache else { return goes(request, policy, CacheControl(), isStubbed) }
    let control = session.settings.cacheControl(of: request)
    guard request.isCacheable else { return goes(request, policy, control, isStubbed) }
    let caching = task.state.withLock { state -> HopCaching in
      defer {
        state.ledger.caching.replay = nil
        state.ledger.caching.bypasses = false
      }
      return state.ledger.caching
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
      ask(cache, url, sentFields(request), thorough: policy.prefersCache)
      return .isAsked
    }
    // Asked again: a task that was suspended in between may have got another token.
    guard let stored = caching.stored, stored.answers(sentFields(request)) else {
      task.state.withLock { state in
        state.ledger.caching.wasAsked = false
        state.ledger.caching.stored = nil
      }
      return goes(request, policy, control, isStubbed)
    }
    task.state.withLock { $0.ledger.caching.wasAsked = false }
    if isStubbed { return .loads(stored, []) }
    let revalidation = CacheRevalidation(task: task, session: session, cache: cache)
    switch CacheDecision(policy, control, stored.rules, mayRevalidate: revalidation.isAllowed, at: now) {
    case .serve: return .serves(CachedAnswer(stored, at: now))
    case .serveWhileRevalidating:
      revalidation.begin(stored)
      return .serves(CachedAnswer(stored, at: now))
    case .load, .fail: return .loads(nil, policy.fieldsForOthers)
    case .refuse: return .serves(.refusal(at: now))
    case .validate:
      task.state.withLock { $0.ledger.caching.isValidating = true }
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
      task.fail(
        URLError.make(
          .resourceUnavailable, url: request.url, "Nothing is kept for the request, and it must not be loaded"))
      return .isRefused
    case .refuse where !isStubbed: return .serves(.refusal(at: now))
    default: return .loads(nil, policy.fieldsForOthers)
    }
  }

  /// Asks the cache, which may read the disk, and starts the hop again with its answer.
  private func ask(_ cache: ResponseCache, _ url: String, _ sent: SentFields, thorough: Bool) {
    guard let question = TaskQuestion.open(.lookup, of: task) else { return }
    cache.find(url, sent, thorough: thorough) { [task] stored in
      guard question.close() else { return }
      task.state.withLock { state in
        state.ledger.caching.wasAsked = true
        state.ledger.caching.stored = stored
      }
      task.startWaitingHop()
    }
  }

  /// What the request is sent with, on which its response may depend.
  private func sentFields(_ request: HopRequest) -> SentFields {
    sentFields(request, session.headers(of: request))
  }

  private func sentFields(_ request: HopRequest, _ fields: [TransferRequest.HeaderField]) -> SentFields {
    let isCallers =
      request.value("Cookie") != nil
      || session.settings.additionalHeaders.contains { $0.name.equalsIgnoringCase("Cookie") }
    let manager = task.state.withLock { $0.owner.manager }
    return SentFields(
      fields, hasStoredCookies: !isCallers, certificate: manager?.core.certificateShown(to: request.url))
  }

  /// Remembers what the request is sent with, and when.
  func note(sent fields: [TransferRequest.HeaderField], _ request: HopRequest) {
    guard let cache = session.cache else { return }
    let sent = sentFields(request, fields)
    let moment = cache.moment
    task.state.withLock { state in
      state.ledger.caching.sent = sent
      state.ledger.caching.sentAt = moment
    }
  }

  /// Begins a hop that is answered with what the cache has, or says.
  func serve(_ answer: CachedAnswer) -> TransferHandle {
    task.state.withLock { $0.ledger.caching.isServing = true }
    let transfer = LocalTransfer(task: task)
    return transfer.start {
      transfer.receive(answer.head, length: Int64(answer.body.count))
      transfer.receive(answer.body)
      transfer.finish()
    }
  }

  // MARK: What a response means for what is kept

  /// Takes note of a response that came over the network: what it makes invalid, and what it says of a GET. What it means for the
  /// task is ``FollowUp``'s business.
  func note(_ head: ResponseHead) {
    guard let cache = session.cache else { return }
    let (caching, request) = task.state.withLock { ($0.ledger.caching, $0.current) }
    guard !caching.isServing else { return }
    for url in CacheInvalidation.urls(after: request, head) { cache.invalidate(url) }
    guard request.mayFreshen, let moment = caching.sentAt else { return }
    cache.freshen(
      request.url.withoutFragment, caching.sent ?? SentFields(request.headers), with: head,
      requested: caching.requested, received: Date().timeIntervalSince1970, since: moment)
  }

  /// Changes what is kept as the response to the last hop asks for.
  func apply(_ change: HopCaching.Change, _ request: HopRequest, sentAt: InvalidationLedger.Moment?) {
    guard let cache = session.cache else { return }
    let url = request.url.withoutFragment
    switch change {
    case .remove(let stored): cache.remove(url, stored.selector)
    case .refresh(let fresh, let stored):
      guard fresh.rules.isStorable, let sentAt else { return cache.remove(url, stored.selector) }
      // Else it would be asked for again all the same.
      let changes = fresh.rules.isUsefulUnasked || fresh.rules.conditions != stored.rules.conditions
      if changes { cache.keep(fresh, for: url, since: sentAt, replacing: stored.selector) }
    }
  }
}

extension SessionSettings {
  /// The directives of a request for which something stale may stand in; nil where its policy allows none.
  func standInControl(of request: HopRequest) -> CacheControl? {
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
