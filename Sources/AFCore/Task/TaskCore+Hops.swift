import AFSecurity
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
      priority: options.priority, deadline: options.deadline ?? .distantFuture,
      collectsMetrics: options.collectsMetrics, expectsLargeResponse: kind == .download)
  }
}

extension TaskCore {
  /// Says where the body of the response with `head` goes. On the engine's thread.
  func route(_ head: ResponseHead, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    HopCookies(task: self, session: session).keep(of: head)
    if let error = HopAuthorization(task: self, session: session).note(head) { return .cancel(error) }
    HopCache(task: self, session: session).note(head)
    if state.withLock({ FollowUp.isFinal(head.statusCode, $0.ledger) }) { return finalRoute(transfer, session) }
    let followUp = decide(session) { FollowUp(head, to: $0, &$1, $2) }
    return route(followUp, transfer, session)
  }

  /// Decides what follows, and tells the session what it has to know of it. On a copy of the ledger, since nothing else changes it
  /// meanwhile: to decide takes other locks.
  private func decide(
    _ session: SessionCore, _ decision: (HopRequest, inout HopLedger, FollowUp.Rules) -> FollowUp
  ) -> FollowUp {
    var (request, ledger) = state.withLock { ($0.current, $0.ledger) }
    let followUp = decision(request, &ledger, rules(session))
    let (refused, change) = (ledger.refused.take(), ledger.caching.change.take())
    let (old, new) = state.withLock { [ledger] state -> (HopLedger, HopLedger) in
      defer { state.ledger = ledger }
      return (state.ledger, ledger)
    }
    withExtendedLifetime(old) {}
    if let refused { session.logins.forget(refused.answer.login, in: refused.answer.space, of: refused.asker) }
    if let change { HopCache(task: self, session: session).apply(change, request, sentAt: new.caching.sentAt) }
    return followUp
  }

  /// What the app and the session say about what follows a hop.
  private func rules(_ session: SessionCore) -> FollowUp.Rules {
    let (request, blocks, manager, isSilent, sent) = state.withLock {
      ($0.current, $0.owner.blocks, $0.owner.manager, $0.options.isSilent, $0.ledger.token.sent)
    }
    let options = session.settings.options
    var rules = FollowUp.Rules()
    rules.asksAboutRedirects = manager != nil && blocks.interests.contains(.redirect)
    rules.asksForStreams = manager != nil && blocks.interests.contains(.bodyStream)
    rules.asksAboutPeers = !isSilent
    if let manager, !options.followsRedirectsFromPinnedToHTTP {
      let policy = manager.core.securityPolicy
      rules.pins = { policy.pins(host: $0) }
    }
    rules.proxy = session.settings.proxy(for: request.url)
    if let sent, let use = blocks.bearer { rules.isTokenReplaced = use.core.isReplaced(sent) }
    rules.standIn = session.settings.standInControl(of: request)
    rules.holdsUntilReachable = options.holdsUntilReachable
    rules.now = Date().timeIntervalSince1970
    return rules
  }

  /// Carries out what follows a response, as far as that is said by the way of its body.
  private func route(_ followUp: FollowUp, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    switch followUp {
    case .final: return finalRoute(transfer, session)
    case .again(let request):
      state.withLock { $0.next = request }
      return .discard
    case .replay:
      state.withLock { $0.next = $0.current }
      return .discard
    case .fail(let error): return .cancel(error)
    case .refuse(let error):
      state.withLock { $0.failure.reason = error }
      return kind == .download ? .discard : .memory
    case .ask(let question):
      let answer = ask(question, transfer, session) { transfer.route(self.route($0, transfer, session)) }
      return answer.map { route($0, transfer, session) } ?? .undecided
    }
  }

  /// Carries out what follows a hop that ended with `failure`, once a question about it has been answered.
  private func goOn(with followUp: FollowUp, after failure: URLError, _ session: SessionCore) {
    switch followUp {
    case .again(let request): goOn(with: request)
    case .replay: goOn(with: state.withLock { $0.current })
    case .final: fail(failure)
    case .fail(let error), .refuse(let error): fail(error)
    case .ask(let question): ask(question, after: failure, session)
    }
  }

  private func ask(_ question: FollowUp.Question, after failure: URLError, _ session: SessionCore) {
    // Not on the engine's thread: what is known may be in a storage, and what follows may open a file.
    DispatchQueue.global(qos: .userInitiated).async {
      let answer = self.ask(question, nil, session) { self.goOn(with: $0, after: failure, session) }
      if let answer { self.goOn(with: answer, after: failure, session) }
    }
  }

  /// Puts a question: about the running hop, or between two hops, without a transfer.
  /// - Returns: What follows, if the app need not be asked; else `later` gets it, unless the task ends before.
  private func ask(
    _ question: FollowUp.Question, _ transfer: TransferHandle?, _ session: SessionCore,
    _ later: @escaping @Sendable (FollowUp) -> Void
  ) -> FollowUp? {
    let (manager, url) = state.withLock { ($0.owner.manager, $0.current.url) }
    if case .network(let failure) = question {
      NetworkWait(task: self, session: session).begin(after: failure)
      return nil
    }
    if case .credentials(let question) = question {
      let response = transfer == nil ? TaskResponse(question.head, url: url) : httpResponse
      let inquiry = ChallengeInquiry(
        question: question.challenge, task: self, transfer: transfer, session: session, response: response,
        rules: rules(session), later: later)
      return inquiry.begin(with: question.first)
    }
    guard let manager else { return .final }
    let app = AppQuestions(task: self, session: session, manager: manager, transfer: transfer)
    switch question {
    case .redirect(let request):
      guard let proposed = request.urlRequest else {
        return FollowUp.redirected(from: url, to: request, rules(session))
      }
      app.redirect(request, proposed, rules(session), later)
      return nil
    case .bodyStream(let request):
      app.bodyStream(for: request, later)
      return nil
    case .trust(let peer): return TrustInquiry(task: self, session: session, manager: manager).begin(peer, later)
    case .identity(let peer): return IdentityInquiry(task: self, session: session, manager: manager).begin(peer, later)
    case .credentials, .network: return .final
    }
  }

  /// The app has refused a challenge about the connection.
  /// - Returns: The task's error: the one that the handler returned, or else `error`.
  func challengeRefused(_ error: URLError) -> any Error {
    state.withLock { state in
      state.failure.rawError = URLError.cancelled(url: state.current.url)
      return state.failure.challengeError ?? error
    }
  }

  /// The way of a body that is the task's result.
  func finalRoute(_ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let blocks = state.withLock { $0.owner.blocks }
    if kind != .download, blocks.interests.contains(.response) {
      askForDisposition(transfer, session)
      return .undecided
    }
    return bodyRoute(transfer, session, blocks)
  }

  /// Where an accepted body goes.
  func bodyRoute(_ transfer: TransferHandle, _ session: SessionCore, _ blocks: BlockTable) -> ResponseRoute {
    if isDownload { return DownloadRoute(task: self, transfer: transfer, session: session).begin() }
    if let sink = state.withLock({ $0.body.stream }) {
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
    state.withLock { $0.body.chunks = sink }
    return .sink(sink)
  }

  /// What remains to be done with the body of the last hop.
  private enum BodyEnd {
    case over
    case file(DownloadFile)
    case chunks(ChunkSink)
    case keep(CacheCandidate)
  }

  private enum HopEnd {
    case failed(TransferFailure, next: HopRequest?, SessionCore)
    case next(HopRequest)
    case last(BodyEnd)
  }

  /// The hop is over. On the engine's thread, where the telling of the result has to wait for the end of the turn.
  func hopDidEnd(_ outcome: TransferOutcome) -> TransferSequel? {
    let (end, question) = state.withLock { state -> (HopEnd, TaskQuestion.Open?) in
      if state.options.collectsMetrics {
        state.record.hops.append(
          HopRecord(
            request: state.current, head: state.answer.head, isFromCache: state.ledger.caching.isServing, end: Date(),
            metrics: outcome.metrics))
      }
      state.machine.hopEnded()
      state.transfer = nil
      let question = state.question.take()
      if state.machine.isCancelled {
        // What came until then is told with the error.
        state.body.data = outcome.body
        return (.last(state.body.file.map { .file($0) } ?? .over), question)
      }
      if let failure = outcome.failure, let session = state.owner.session {
        return (.failed(failure, next: state.next, session), question)
      }
      if let next = state.next { return (.next(next), question) }
      return (.last(takeBody(outcome, &state)), question)
    }
    // What was asked during the hop is answered by its end.
    question?.end()
    switch end {
    case .next(let request): goOnElsewhere(with: request)
    case .last(let body): return close(body)
    case .failed(let failure, let next, let session):
      switch decide(session, { FollowUp(failure, of: $0, next: next, &$1, $2) }) {
      case .again(let request): goOnElsewhere(with: request)
      case .replay: goOnElsewhere(with: state.withLock { $0.current })
      case .ask(let question): ask(question, after: error(failure, session), session)
      case .final: return close(fail(outcome, error(failure, session), failure))
      case .fail(let error), .refuse(let error): return close(fail(outcome, error, failure))
      }
    }
    return nil
  }

  private func error(_ failure: TransferFailure, _ session: SessionCore) -> URLError {
    FollowUp.error(failure, state.withLock { $0.current }, rules(session))
  }

  private func fail(_ outcome: TransferOutcome, _ error: any Error, _ failure: TransferFailure) -> BodyEnd {
    state.withLock { state in
      state.failure.error = error
      if failure.kind == .refusedByHandler, failure.underlying != nil {
        state.failure.rawError = URLError.cancelled(url: state.current.url)
      }
      return takeBody(outcome, &state)
    }
  }

  /// Takes what the last hop has brought.
  private func takeBody(_ outcome: TransferOutcome, _ state: inout TaskState) -> BodyEnd {
    state.next = nil
    state.body.data = outcome.body
    state.answer.trailers = outcome.trailers
    if state.failure.error == nil, state.failure.reason == nil {
      state.downloading.bodyEnd = state.downloading.writing?.bodyEnd(received: outcome.bytesReceived)
    }
    if let download = state.body.file { return .file(download) }
    if let chunks = state.body.chunks { return .chunks(chunks) }
    return CacheCandidate(state, kind).map { .keep($0) } ?? .over
  }

  private func close(_ body: BodyEnd) -> TransferSequel? {
    switch body {
    case .over: return end()
    case .keep(let candidate): return candidate.keep(by: self)
    case .file(let file): DownloadEnd(task: self).close(file)
    case .chunks(let chunks):
      state.withLock { $0.machine.close(isLast: true) }
      chunks.finish { result in
        let candidate = self.state.withLock { state -> CacheCandidate? in
          switch result {
          case .success(let data): state.body.data = data
          case .failure(let failure):
            // The transfer may have been over before it could be ended for that.
            if state.failure.error == nil { state.failure.error = URLError.make(failure, url: state.current.url) }
          }
          return CacheCandidate(state, self.kind)
        }
        if let candidate { candidate.keep(by: self)?() } else { self.finish() }
      }
    }
    return nil
  }
}
