import AFSupport
import Foundation

extension TaskCore {
  func didSend(_ total: Int64, expected: Int64?) {
    report { state in
      let sent = total - state.progress.counts.sent
      state.progress.counts.sent = total
      state.progress.counts.expectedToSend = expected ?? -1
      return state.owner.blocks.interests.contains(.sendBody) ? sent : 0
    }
  }

  func didReceive(_ total: Int64, expected: Int64?) {
    report { state in
      // The body of a redirect or a challenge is nobody's progress.
      guard state.next == nil, !state.downloading.ignoresBody else { return 0 }
      // What a server announces may be any number.
      state.progress.counts.received = total.addingClamped(state.body.file?.offset ?? 0)
      if let body = state.downloading.writing, body.end != nil {
        state.progress.counts.expectedToReceive = body.expected
      } else {
        state.progress.counts.expectedToReceive = expected ?? -1
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
      return (state.owner.session, sent)
    }
    session?.callbackQueue.async { self.tellProgress(sent: sent) }
  }

  /// On the callback queue.
  func tellProgress(sent: Int64) {
    let (counts, closures, blocks, manager, session) = state.withLock {
      ($0.progress.counts, $0.owner.closures, $0.owner.blocks, $0.owner.manager, $0.owner.session)
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
    if blocks.interests.contains(.writeData) { DownloadResumption(task: self).tellWritten(counts, manager, session) }
  }

  /// Brings the progress objects up to date and calls the task's closures with what has changed. On the callback queue.
  func tell(_ closures: TaskClosures, _ counts: TaskCounts) {
    let (told, upload, download) = state.withLock { state in
      defer { state.progress.told = counts }
      return (state.progress.told, state.progress.upload, state.progress.download)
    }
    if counts.sent != told.sent || counts.expectedToSend != told.expectedToSend,
      closures.uploadProgress != nil || upload != nil
    {
      let object = upload ?? progress(\.upload)
      object.update(total: counts.expectedToSend, completed: counts.sent)
      if counts.sent > 0 { closures.uploadProgress?(object) }
    }
    if counts.received != told.received || counts.expectedToReceive != told.expectedToReceive,
      closures.downloadProgress != nil || download != nil
    {
      let object = download ?? progress(\.download)
      object.update(total: counts.expectedToReceive, completed: counts.received)
      if counts.received > 0 { closures.downloadProgress?(object) }
    }
  }

  /// The task's progress object of one direction. Made when it is first asked for.
  func progress(_ direction: WritableKeyPath<TaskProgress, Progress?>) -> Progress {
    if let object = state.withLock({ $0.progress[keyPath: direction] }) { return object }
    let object = Progress(totalUnitCount: -1)
    let first = state.withLock { state -> Progress in
      if let other = state.progress[keyPath: direction] { return other }
      state.progress[keyPath: direction] = object
      return object
    }
    guard first === object else { return first }
    object.cancellationHandler = { [weak self] in self?.cancel() }
    object.pausingHandler = { [weak self] in self?.shell.suspend() }
    object.resumingHandler = { [weak self] in self?.shell.resume() }
    // Not under the lock, which Foundation's own would be inside of; so the counts may have changed meanwhile.
    var shown: TaskCounts?
    while case let counts = state.withLock({ $0.progress.counts }), counts != shown {
      let isUpload = direction == \TaskProgress.upload
      object.update(
        total: isUpload ? counts.expectedToSend : counts.expectedToReceive,
        completed: isUpload ? counts.sent : counts.received)
      shown = counts
    }
    return object
  }
}

extension TaskState {
  fileprivate var wantsProgress: Bool {
    owner.closures.uploadProgress != nil || owner.closures.downloadProgress != nil || progress.upload != nil
      || progress.download != nil || owner.blocks.interests.contains(.writeData)
  }
}

extension Progress {
  fileprivate func update(total: Int64, completed: Int64) {
    if totalUnitCount != total { totalUnitCount = total }
    if completedUnitCount != completed { completedUnitCount = completed }
  }
}
