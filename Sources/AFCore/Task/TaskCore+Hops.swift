import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

/// What a task adds to the options of its next hop.
struct HopOptions: Sendable {
  var priority: Float
  var deadline: MonotonicTime
  var collectsMetrics: Bool
  var expectsLargeResponse: Bool
}

/// What one hop was, for the metrics.
struct HopRecord: Sendable {
  var request: HopRequest
  var head: ResponseHead?
  var isFromCache: Bool
  var end: Date
  var metrics: TransferMetrics?
}

extension TaskState {
  func hopOptions(_ kind: TaskKind) -> HopOptions {
    HopOptions(
      priority: priority, deadline: deadline ?? .distantFuture,
      collectsMetrics: collectsMetrics, expectsLargeResponse: kind == .download)
  }
}

extension TaskCore {
  /// Says where the body of the response with `head` goes. On the engine's thread.
  func route(_ head: ResponseHead, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let status = head.statusCode
    keepCookies(of: head, session)
    if let error = noteAuthentication(head, session) { return .cancel(error) }
    if let cache = session.cache, takesNote(of: head, cache) { return .discard }
    if (300..<400).contains(status), let request = redirect(for: head) {
      return take(request, head, transfer, session)
    }
    if status == 401, let route = answerRefusedToken(transfer, session) { return route }
    if status == 401 || status == 407, let question = challenge(head, session) {
      return answer(question, transfer, session)
    }
    return finalRoute(transfer, session)
  }

  /// The way of a body that is the task's result.
  func finalRoute(_ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let blocks = state.withLock { $0.blocks }
    if kind != .download, blocks.interests.contains(.response) {
      askForDisposition(transfer, session)
      return .undecided
    }
    return bodyRoute(transfer, session, blocks)
  }

  /// Where an accepted body goes.
  func bodyRoute(_ transfer: TransferHandle, _ session: SessionCore, _ blocks: BlockTable) -> ResponseRoute {
    if isDownload { return downloadRoute(transfer, session) }
    if let sink = state.withLock({ $0.stream }) {
      sink.connect { transfer.resumeReceiving() }
      headArrived()
      return .sink(sink)
    }
    guard blocks.interests.contains(.data) else { return .memory }
    let sink = ChunkSink(queue: session.callbackQueue, limits: session.settings.options.bodyLimits) { [self] chunk in
      deliver(chunk)
    }
    sink.connect(
      onRoom: { transfer.resumeReceiving() },
      onFailure: { [weak self] failure in
        guard let self else { return }
        cancel(URLError.make(failure, url: state.withLock { $0.current.url }))
      })
    state.withLock { $0.chunks = sink }
    return .sink(sink)
  }

  /// The hop is over. On the engine's thread, where the telling of the result has to wait for the end of the turn.
  func hopDidEnd(_ outcome: TransferOutcome) -> TransferSequel? {
    enum Step {
      case next(HopRequest), ask(PeerTrust), identify(PeerTrust), finish, download(DownloadFile), chunks(ChunkSink)
      case keep(CacheCandidate)
      case hold(SessionCore, URLError)
      case tunnel(ResponseHead, SessionCore, URLError)
    }
    // What was asked during the hop is answered by its end.
    state.withLock { $0.question.take() }?.end()
    let step = state.withLock { state -> Step in
      if state.collectsMetrics {
        state.hops.append(
          HopRecord(
            request: state.current, head: state.head, isFromCache: state.caching.isServing, end: Date(),
            metrics: outcome.metrics))
      }
      if state.isCancelled {
        // What came until then is told with the error.
        state.body = outcome.body
        return state.download.map { .download($0) } ?? .finish
      }
      if let failure = outcome.failure {
        if !state.isSilent, let peer = failure.peer {
          if failure.kind == .trustUndecided { return .ask(peer) }
          if failure.kind == .identityUndecided { return .identify(peer) }
        }
        // A redirect whose own body broke off is a redirect all the same.
        if let next = state.next ?? state.standIn(for: failure), failure.kind != .cancelled { return .next(next) }
        let proxy =
          failure.kind == .proxyAuthentication || failure.kind == .proxyRefused
          ? state.session?.settings.proxy(for: state.current.url) : nil
        let error = URLError.make(failure, url: state.current.url, proxy: proxy ?? .direct)
        if failure.kind == .proxyAuthentication, let head = failure.proxyHead, let session = state.session {
          return .tunnel(head, session, error)
        }
        if let session = state.session, state.isHeld(after: failure) { return .hold(session, error) }
        if failure.kind == .refusedByHandler, let own = failure.underlying {
          state.error = own
          state.rawError = URLError.cancelled(url: state.current.url)
        } else {
          state.error = error
        }
      } else if let next = state.next {
        return .next(next)
      }
      state.next = nil
      state.body = outcome.body
      state.trailers = outcome.trailers
      if state.error == nil, state.reason == nil {
        state.downloading.bodyEnd = state.downloading.writing?.bodyEnd(received: outcome.bytesReceived)
      }
      if let download = state.download { return .download(download) }
      if let chunks = state.chunks { return .chunks(chunks) }
      return state.cacheCandidate(kind).map { .keep($0) } ?? .finish
    }
    switch step {
    case .next(let request): goOnElsewhere(with: request)
    case .ask(let peer): askAboutTrust(peer)
    case .identify(let peer): askForIdentity(peer)
    case .tunnel(let head, let session, let error):
      DispatchQueue.global(qos: .userInitiated).async { self.answerTunnel(head, session, error) }
    case .hold(let session, let error): waitUntilReachable(session, failure: error)
    case .finish: return end()
    case .keep(let candidate): return keep(candidate)
    case .download(let file): close(file)
    case .chunks(let chunks):
      state.withLock { $0.phase = .closing }
      chunks.finish { result in
        let candidate = self.state.withLock { state -> CacheCandidate? in
          switch result {
          case .success(let data): state.body = data
          case .failure(let failure):
            // The transfer may have been over before it could be ended for that.
            if state.error == nil { state.error = URLError.make(failure, url: state.current.url) }
          }
          return state.cacheCandidate(self.kind)
        }
        if let candidate { self.keep(candidate)?() } else { self.finish() }
      }
    }
    return nil
  }
}
