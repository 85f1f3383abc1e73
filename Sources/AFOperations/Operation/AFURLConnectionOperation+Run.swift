import AFCore
import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

extension AFURLConnectionOperation {
  /// Does what follows from an event. Nothing is held meanwhile.
  func take(_ step: OperationMachine.Step) {
    switch step {
    case .none: break
    case .begin(let attempt):
      didChangeValue(forKey: "isExecuting")
      NotificationRelay.shared.post(.AFNetworkingOperationDidStart, object: self)
      begin(attempt)
    case .stop: core.withLock { $0.task }?.cancel()
    case .keep: NotificationRelay.shared.post(.AFNetworkingOperationDidFinish, object: self)
    case .restart(let attempt): begin(attempt)
    case .settle: settleElsewhere(AttemptResult(error: URLError.cancelled(url: request.url)))
    }
  }

  /// Sends the request, or asks for the rest of its response.
  private func begin(_ attempt: Int) {
    // Through `self`: a subclass may override it.
    let shown = securityPolicy
    let (sessions, policy, kept) = core.withLock { ($0.sessions, $0.ownPolicy(shown), $0.kept) }
    let session = sessions.session(under: policy)
    var request = request
    if let error = FailedRequest.error(of: request) {
      return DispatchQueue.global().async { self.ended(attempt, AttemptResult(error: error), session) }
    }
    for field in kept.continuation?.fields ?? [] { request.setValue(field.value, forHTTPHeaderField: field.name) }
    if outputStream != nil { return write(request, attempt, session) }
    let (upload, download) = progressClosures
    let task = session.manager.unserializedTask(
      with: request, uploadProgress: upload, downloadProgress: download
    ) { result in
      let result = AttemptResult(
        response: result.response, data: result.data, validator: result.validator, error: result.error)
      self.ended(attempt, result, session)
    }
    adopt(task, attempt, session)
    task.resume()
  }

  /// Takes note of the task of an attempt, before it is resumed. One that must not run is cancelled.
  func adopt(_ task: AFURLSessionTask, _ attempt: Int, _ session: OperationSession) {
    session.route(task, to: self, questions)
    let mustStop = core.withLock { state in
      state.task = task
      return state.machine.mustStop(attempt)
    }
    if mustStop { task.cancel() }
    // A block that was set meanwhile.
    tellTaskOfProgressBlocks()
  }

  /// What the manager has to ask the operation about.
  private var questions: OperationSession.Questions {
    let usesStorage = shouldUseCredentialStorage
    let hasCredential = credential != nil
    return core.withLock { state in
      var questions: OperationSession.Questions = []
      if state.blocks.challenge != nil || hasCredential || !usesStorage { questions.insert(.challenge) }
      if state.blocks.redirect != nil { questions.insert(.redirect) }
      if state.blocks.cache != nil { questions.insert(.cache) }
      return questions
    }
  }

  /// The transfer of an attempt is over.
  func ended(_ attempt: Int, _ result: AttemptResult, _ session: OperationSession) {
    let (step, task) = core.withLock { state -> (OperationMachine.Step, AFURLSessionTask?) in
      let step = state.machine.ended(attempt, wasStopped: result.wasStopped)
      switch step {
      case .keep, .restart: state.keep(result)
      default: break
      }
      defer { if step != .none { state.task = nil } }
      return (step, state.task)
    }
    if let task { session.endRoute(task) }
    if step == .settle { settle(result) } else { take(step) }
  }

  /// Finishes without a transfer. Not where the app calls from: it may hold a lock there that its blocks want.
  private func settleElsewhere(_ result: AttemptResult) {
    DispatchQueue.global().async { self.settle(result) }
  }

  /// Reads the response, finishes, and tells of it. Nothing can be paused any more; a cancellation counts until the operation has
  /// finished.
  private func settle(_ result: AttemptResult) {
    var failure = result.error
    let (response, data) = core.withLock { state in
      let data = state.join(result, &failure)
      return (state.response, data)
    }
    if failure == nil, !isCancelled { failure = read(response, data) }
    let cancellation = URLError.cancelled(url: request.url)
    let ending = core.withLock { state -> OperationState? in
      guard state.machine.finish() else { return nil }
      if state.machine.isCancelled, !result.wasStopped {
        state.error = cancellation
        state.handed.object = nil
      } else {
        state.error = failure
      }
      defer {
        state.completionBlock = nil
        state.blocks = OperationBlocks()
        state.kept = KeptPart()
      }
      return state
    }
    guard let ending else { return }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
    NotificationRelay.shared.post(.AFNetworkingOperationDidFinish, object: self)
    ending.completionBlock?()
    let hooks = core.withLock { state in
      state.hasTold = true
      defer { state.finishHooks = [] }
      return state.finishHooks
    }
    for hook in hooks { hook() }
  }
}

extension OperationState {
  /// Keeps what came before a pause.
  mutating func keep(_ result: AttemptResult) {
    let answer = answer(result)
    if let response = result.response { self.response = response }
    let new = result.data ?? Data()
    switch answer {
    case .rest: kept.data.append(new)
    case .whole where result.response != nil: kept.data = new
    case .whole, .complete: break
    case .other: kept.data = Data()
    }
    if answer == .complete { return }
    kept.response = result.response ?? kept.response
    let method = request.httpMethod
    if let response = result.response {
      kept.continuation = Continuation(
        method: method, status: response.statusCode,
        encoding: response.value(forHTTPHeaderField: "Content-Encoding"), condition: result.validator?.ifRange,
        count: handed.outputStream == nil ? Int64(kept.data.count) : kept.written)
    }
  }

  /// The whole body, of what was kept and what came last.
  mutating func join(_ result: AttemptResult, _ failure: inout (any Error)?) -> Data? {
    response = result.response ?? response
    let rest = result.data
    switch answer(result) {
    case .rest where handed.outputStream == nil: data = kept.data + (rest ?? Data())
    case .complete:
      response = kept.response
      data = handed.outputStream == nil ? kept.data : nil
    case .other where failure == nil:
      failure = AFOperationError.wrongPart
      data = rest
    default: data = handed.outputStream == nil ? rest : nil
    }
    return data
  }

  private func answer(_ result: AttemptResult) -> Continuation.Answer {
    guard let continuation = kept.continuation, let response = result.response else { return .whole }
    return continuation.answer(
      status: response.statusCode, contentRange: response.value(forHTTPHeaderField: "Content-Range"))
  }
}

extension URLError {
  static func cancelled(url: URL?) -> URLError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: "The operation was cancelled"]
    info[NSURLErrorFailingURLErrorKey] = url
    return URLError(.cancelled, userInfo: info)
  }
}
