import AFSupport
import Foundation

extension TaskCore {
  func didSend(_ total: Int64, expected: Int64?) {
    report { state in
      let sent = total - state.counts.sent
      state.counts.sent = total
      state.counts.expectedToSend = expected ?? -1
      return state.blocks.interests.contains(.sendBody) ? sent : 0
    }
  }

  func didReceive(_ total: Int64, expected: Int64?) {
    report { state in
      // The body of a redirect or a challenge is nobody's progress.
      guard state.next == nil, !state.downloading.ignoresBody else { return 0 }
      // What a server announces may be any number.
      state.counts.received = total.addingClamped(state.download?.offset ?? 0)
      if let body = state.downloading.writing, body.end != nil {
        state.counts.expectedToReceive = body.expected
      } else {
        state.counts.expectedToReceive = expected ?? -1
      }
      return 0
    }
  }

  /// Takes note of moved bytes, and tells on the callback queue those who want to know.
  private func report(_ update: (inout TaskState) -> Int64) {
    let (session, sent) = state.withLock { state -> (SessionCore?, Int64) in
      let sent = update(&state)
      guard state.wantsProgress || sent > 0 else { return (nil, 0) }
      state.hasQueuedCallbacks = true
      return (state.session, sent)
    }
    session?.callbackQueue.async { self.tellProgress(sent: sent) }
  }

  /// On the callback queue.
  func tellProgress(sent: Int64) {
    let (counts, closures, blocks, manager, session) = state.withLock {
      ($0.counts, $0.closures, $0.blocks, $0.manager, $0.session)
    }
    // A task that is over tells its last counts itself.
    guard let session else { return }
    tell(closures, counts)
    guard let manager else { return }
    if sent > 0, blocks.interests.contains(.sendBody) {
      manager.urlSession(
        session.shell, task: shell, didSendBodyData: sent, totalBytesSent: counts.sent,
        totalBytesExpectedToSend: counts.expectedToSend)
    }
    if blocks.interests.contains(.writeData) { tellWritten(counts, manager, session) }
  }

  /// Brings the progress objects up to date and calls the task's closures with what has changed. On the callback queue.
  func tell(_ closures: TaskClosures, _ counts: TaskCounts) {
    let (told, upload, download) = state.withLock { state in
      defer { state.told = counts }
      return (state.told, state.uploadProgress, state.downloadProgress)
    }
    if counts.sent != told.sent || counts.expectedToSend != told.expectedToSend,
      closures.uploadProgress != nil || upload != nil
    {
      let object = upload ?? progress(\.uploadProgress)
      object.update(total: counts.expectedToSend, completed: counts.sent)
      if counts.sent > 0 { closures.uploadProgress?(object) }
    }
    if counts.received != told.received || counts.expectedToReceive != told.expectedToReceive,
      closures.downloadProgress != nil || download != nil
    {
      let object = download ?? progress(\.downloadProgress)
      object.update(total: counts.expectedToReceive, completed: counts.received)
      if counts.received > 0 { closures.downloadProgress?(object) }
    }
  }

  /// The task's progress object of one direction. Made when somebody asks.
  func progress(_ direction: WritableKeyPath<TaskState, Progress?>) -> Progress {
    let made = state.withLock { state -> (object: Progress, isNew: Bool) in
      if let object = state[keyPath: direction] { return (object, false) }
      let object = Progress(totalUnitCount: -1)
      state[keyPath: direction] = object
      let isUpload = direction == \TaskState.uploadProgress
      object.update(
        total: isUpload ? state.counts.expectedToSend : state.counts.expectedToReceive,
        completed: isUpload ? state.counts.sent : state.counts.received)
      return (object, true)
    }
    if made.isNew {
      made.object.cancellationHandler = { [weak self] in self?.cancel() }
      made.object.pausingHandler = { [weak self] in self?.shell.suspend() }
      made.object.resumingHandler = { [weak self] in self?.shell.resume() }
    }
    return made.object
  }
}

extension TaskState {
  fileprivate var wantsProgress: Bool {
    closures.uploadProgress != nil || closures.downloadProgress != nil || uploadProgress != nil
      || downloadProgress != nil || blocks.interests.contains(.writeData)
  }
}

extension Progress {
  fileprivate func update(total: Int64, completed: Int64) {
    if totalUnitCount != total { totalUnitCount = total }
    if completedUnitCount != completed { completedUnitCount = completed }
  }
}
