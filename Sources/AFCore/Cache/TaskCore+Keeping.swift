import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

/// A complete response that may be kept.
struct CacheCandidate: Sendable {
  let cache: ResponseCache
  let session: SessionCore
  /// Who is asked before it is kept, if anybody.
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

extension TaskState {
  /// The response that has just come whole, if it may be kept: that of a data task, to a GET, over the network or from a stub that
  /// lets it. Bodies that went to a file or a stream are not there any more.
  func cacheCandidate(_ kind: TaskKind) -> CacheCandidate? {
    guard let session, let cache = session.cache, error == nil, kind == .data, !becameDownload, stream == nil,
      !caching.isServing, !carriesPassingCredentials, let head, current.isCacheable
    else { return nil }
    let policy = caching.stubPolicy ?? .allowed
    guard policy != .notAllowed, isWorthKeeping(head, session), !session.settings.cacheControl(of: current).noStore,
      let sent = caching.sent, let sentAt = caching.sentAt
    else { return nil }
    return CacheCandidate(
      cache: cache, session: session, manager: blocks.interests.contains(.cache) ? manager : nil, request: current,
      head: head, body: body ?? Data(), sent: sent, sentAt: sentAt, requested: caching.requested,
      received: Date().timeIntervalSince1970, policy: policy)
  }

  /// Whether the response may be kept, and is of use to somebody. What is neither fresh for a while nor can be confirmed is of use
  /// only to requests that take whatever there is, or to somebody who makes something else of it.
  private func isWorthKeeping(_ head: ResponseHead, _ session: SessionCore) -> Bool {
    let takesAnything =
      caching.stubPolicy != nil || blocks.interests.contains(.cache)
      || session.settings.cachePolicy(for: current).prefersCache || session.settings.cachePolicy.prefersCache
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

extension TaskCore {
  /// Keeps the response, and ends the task: at once, or when somebody who wants to be asked has answered.
  /// - Returns: What does so, if it is at once.
  func keep(_ candidate: CacheCandidate) -> TransferSequel? {
    guard let manager = candidate.manager else {
      let sequel = end()
      return {
        candidate.cache.keep(for: candidate.url, size: candidate.body.count, since: candidate.sentAt) { limit in
          candidate.proposal(limit).flatMap(candidate.noted)
        }
        sequel?()
      }
    }
    // If there is no answer in time it is not kept, and the task ends as well.
    let expire: @Sendable (TaskQuestion) -> Void = { question in if question.close() { self.finish() } }
    guard let question = TaskQuestion.open(.keeping, of: self, late: expire) else { return nil }
    candidate.cache.prepare { [self] limit in
      guard let proposed = candidate.proposal(limit) else {
        candidate.cache.remove(candidate.url)
        if question.close() { finish() }
        return
      }
      candidate.session.callbackQueue.async {
        guard let shell = self.dataShell else {
          if question.close() { self.finish() }
          return
        }
        manager.urlSession(candidate.session.shell, dataTask: shell, willCacheResponse: proposed) { answer in
          guard question.close() else { return }
          if let answer, answer.storagePolicy != .notAllowed, let noted = candidate.noted(answer) {
            candidate.cache.keep(noted, for: candidate.url, since: candidate.sentAt)
          } else {
            candidate.cache.remove(candidate.url)
          }
          self.finish()
        }
      }
    }
    return nil
  }
}

extension CacheCandidate {
  fileprivate var url: String { request.url.withoutFragment }

  /// What would be kept; nil if it is too large, or for the owner of a certificate that a challenge handler chose.
  fileprivate func proposal(_ sizeLimit: Int) -> CachedURLResponse? {
    guard body.count <= sizeLimit, !session.hasShownCertificate(to: request.url),
      let response = HTTPURLResponse(head.kept(received: received), url: request.url)
    else { return nil }
    return CachedURLResponse(response: response, data: body, userInfo: nil, storagePolicy: policy)
  }

  /// What is kept; nil if whoever was asked made it something that answers no request.
  fileprivate func noted(_ response: CachedURLResponse) -> StoredResponse? {
    let rules = CacheRules(ResponseHead(response.response), requested: requested, received: received)
    guard let variance = rules.variance else { return nil }
    return StoredResponse(response, rules, selector: variance.selector(sent))
  }
}
