import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

/// A complete response that may be kept.
struct CacheCandidate: Sendable {
  let cache: ResponseCache
  let session: SessionCore
  /// Set if the app is asked before it is kept.
  let manager: AFURLSessionManager?
  let request: HopRequest
  let head: ResponseHead
  let body: Data
  /// The fields of the request as it was sent.
  let sent: SentFields
  let sentAt: InvalidationLedger.Moment
  let requested: Double
  let received: Double
  let policy: URLCache.StoragePolicy
}

extension CacheCandidate {
  /// The response that has just come whole, if it may be kept: that of a data task, to a GET, over the network or from a stub that
  /// lets it. Bodies that went to a file or a stream are not there any more.
  init?(_ state: TaskState, _ kind: TaskKind) {
    let caching = state.ledger.caching
    guard let session = state.owner.session, let cache = session.cache, state.failure.error == nil, kind == .data,
      !state.body.becameDownload, state.body.stream == nil, !caching.isServing, let head = state.answer.head,
      state.current.isCacheable, !state.ledger.carriesPassingCredentials(to: state.current.url)
    else { return nil }
    let policy = caching.stubPolicy ?? .allowed
    let asks = state.owner.blocks.interests.contains(.cache)
    guard policy != .notAllowed, Self.isWorthKeeping(head, caching, state.current, session, asks: asks),
      !session.settings.cacheControl(of: state.current).noStore, let sent = caching.sent, let sentAt = caching.sentAt
    else { return nil }
    self.init(
      cache: cache, session: session, manager: asks ? state.owner.manager : nil, request: state.current, head: head,
      body: state.body.data ?? Data(), sent: sent, sentAt: sentAt, requested: caching.requested,
      received: Date().timeIntervalSince1970, policy: policy)
  }

  /// Whether the response may be kept, and is of use to a request. What is neither fresh for a while nor can be confirmed is of use
  /// only to requests that take whatever there is, or to an app that makes something else of it.
  private static func isWorthKeeping(
    _ head: ResponseHead, _ caching: HopCaching, _ request: HopRequest, _ session: SessionCore, asks: Bool
  ) -> Bool {
    let takesAnything =
      caching.stubPolicy != nil || asks || session.settings.cachePolicy(for: request).prefersCache
      || session.settings.cachePolicy.prefersCache
    guard takesAnything || head.mentionsFreshness else { return false }
    let now = Date().timeIntervalSince1970
    let rules = CacheRules(head, requested: caching.requested, received: now)
    return rules.isStorable && (takesAnything || rules.isUseful)
  }
}

extension ResponseHead {
  /// Whether there is a field without which nothing is kept. Looked at for every response, so nothing is made of it.
  fileprivate var mentionsFreshness: Bool { hasField(in: Self.freshnessFields) }

  private static let freshnessFields: [StaticString] = ["ETag", "Last-Modified", "Cache-Control", "Expires"]
}

extension CacheCandidate {
  /// Keeps the response, and ends the task: at once, or when the app has answered whether it is to be kept.
  /// - Returns: What does so, if it is at once.
  func keep(by task: TaskCore) -> TransferSequel? {
    guard let manager else {
      let sequel = task.end()
      return {
        cache.keep(for: url, size: body.count, since: sentAt) { limit in proposal(limit).flatMap(noted) }
        sequel?()
      }
    }
    // If there is no answer in time it is not kept, and the task ends as well.
    let expire: @Sendable (TaskQuestion) -> Void = { question in if question.close() { task.finish() } }
    guard let question = TaskQuestion.open(.keeping, of: task, late: expire) else { return nil }
    cache.prepare { limit in
      guard let proposed = proposal(limit) else {
        cache.remove(url)
        if question.close() { task.finish() }
        return
      }
      session.callbackQueue.async {
        guard let shell = task.dataShell else {
          if question.close() { task.finish() }
          return
        }
        manager.urlSession(session.shell, dataTask: shell, willCacheResponse: proposed) { answer in
          guard question.close() else { return }
          if let answer, answer.storagePolicy != .notAllowed, let noted = noted(answer) {
            cache.keep(noted, for: url, since: sentAt)
          } else {
            cache.remove(url)
          }
          task.finish()
        }
      }
    }
    return nil
  }

  private var url: String { request.url.withoutFragment }

  /// What would be kept; nil if it is too large, or for the owner of a certificate that a challenge handler chose.
  private func proposal(_ sizeLimit: Int) -> CachedURLResponse? {
    guard body.count <= sizeLimit, !session.hasShownCertificate(to: request.url),
      let response = HTTPURLResponse(head.kept(received: received), url: request.url)
    else { return nil }
    return CachedURLResponse(response: response, data: body, userInfo: nil, storagePolicy: policy)
  }

  /// What is kept; nil if the app made it something that answers no request.
  private func noted(_ response: CachedURLResponse) -> StoredResponse? {
    let rules = CacheRules(ResponseHead(response.response), requested: requested, received: received)
    guard let variance = rules.variance else { return nil }
    return StoredResponse(response, rules, selector: variance.selector(sent))
  }
}
