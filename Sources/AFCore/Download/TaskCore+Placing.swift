import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// The transfer into the file is over, well or not.
  func close(_ file: DownloadFile) {
    let (bodyEnd, writing) = state.withLock { state in
      state.phase = .closing
      return (state.downloading.bodyEnd, state.downloading.writing)
    }
    file.sink.finish { result in
      var problem: URLError?
      if case .failure(let error) = result {
        let url = self.state.withLock { $0.current.url }
        problem = URLError.make(
          .cannotWriteToFile, url: url, "The download cannot be written: \(String(describing: error))",
          underlying: error)
      } else if bodyEnd == .overrun {
        problem = self.unusable("it is longer than it says")
      } else if bodyEnd == .stuck {
        problem = self.unusable("it brings nothing")
      }
      let failure = self.state.withLock { state -> (any Error)? in
        if let problem, state.reason == nil, state.error == nil { state.error = problem }
        return state.reason ?? state.error
      }
      var length = (try? result.get()) ?? 0
      // What came with too much is not to be relied on.
      if bodyEnd == .overrun, let writing { length = min(length, writing.opened - writing.start) }
      guard failure == nil else {
        self.keepForResuming(file, length)
        return self.finish()
      }
      if bodyEnd == .goOn { self.goOnDownloading(file, length) } else { self.place(file) }
    }
  }

  /// The body was a part, in order and short: what follows is asked for.
  private func goOnDownloading(_ file: DownloadFile, _ length: Int64) {
    let (original, writing) = state.withLock { ($0.original, $0.downloading.writing) }
    guard let kept = writing?.resumeData(original, length: length, path: file.path), let data = kept.data else {
      return fail(unusable("it is a part of the whole, and nothing proves what belongs to it"))
    }
    file.keep()
    let request = state.withLock { state -> HopRequest in
      state.download = nil
      state.downloading.writing = nil
      state.downloading.bodyEnd = nil
      state.downloading.kept = kept
      state.downloading.keptData = data
      state.downloading.asksForRest = true
      state.downloading.hasGoneOn = true
      return state.ledger.firstRequest(state.original, current: state.current).forRest(of: kept.part)
    }
    goOn(with: request)
  }

  /// Brings the finished file to where it is wanted.
  private func place(_ file: DownloadFile) {
    let (closures, blocks, manager, session) = state.withLock { ($0.closures, $0.blocks, $0.manager, $0.session) }
    guard let manager, let session, let shell = downloadShell,
      closures.destination != nil || blocks.interests.contains(.finishDownload)
    else { return finish() }
    state.withLock { $0.hasQueuedCallbacks = true }
    session.callbackQueue.async {
      manager.urlSession(session.shell, downloadTask: shell, didFinishDownloadingTo: file.url)
      self.finish(file: self.state.withLock { $0.finalURL })
    }
  }

  /// Asks where the file is to go, and moves it there. On the callback queue, from the manager's method.
  func chooseDestination(_ location: URL) {
    let (file, closures, blocks, manager, session) = state.withLock {
      ($0.download, $0.closures, $0.blocks, $0.manager, $0.session)
    }
    guard let file, manager != nil, let session, let shell = downloadShell else { return }
    let target =
      blocks.blocks.didFinishDownloading?(session.shell, shell, location)
      ?? closures.destination?(location, anyResponse)
    guard let target else { return }
    state.withLock { $0.finalURL = target }
    let center = NotificationCenter.default
    do {
      try file.move(to: target)
      center.post(name: .AFURLSessionDownloadTaskDidMoveFileSuccessfully, object: shell)
    } catch {
      state.withLock { $0.error = error }
      let info = (error as NSError).userInfo.reduce(into: [AnyHashable: Any]()) { $0[$1.key] = $1.value }
      center.post(name: .AFURLSessionDownloadTaskDidFailToMoveFile, object: shell, userInfo: info)
    }
  }
}
