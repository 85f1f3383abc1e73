import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// The response, or one that says nothing but the URL where none has come.
  var anyResponse: URLResponse {
    if let response = httpResponse { return response }
    let url = state.withLock { $0.current.url }
    return URLResponse(
      url: URL(string: url) ?? URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: -1,
      textEncodingName: nil)
  }

  /// Whether the result is a file: from the beginning, or since a response made it so.
  var isDownload: Bool { kind == .download || state.withLock { $0.body.becameDownload } }

  /// Asks whether the response is wanted, and as what.
  func askForDisposition(_ transfer: TransferHandle, _ session: SessionCore) {
    guard let question = TaskQuestion.open(.disposition, of: self, during: transfer) else { return }
    let (manager, blocks) = state.withLock { ($0.owner.manager, $0.owner.blocks) }
    session.callbackQueue.async {
      guard let manager, let response = self.httpResponse, let shell = self.dataShell else { return transfer.cancel() }
      manager.urlSession(session.shell, dataTask: shell, didReceive: response) { disposition in
        guard question.close() else { return }
        switch disposition {
        case .cancel: self.cancel()
        case .becomeDownload: self.becomeDownload(transfer, session, manager, shell)
        case .allow: transfer.route(self.bodyRoute(transfer, session, blocks))
        }
      }
    }
  }

  /// Makes the data task a download task: the same request, another way for the body.
  private func becomeDownload(
    _ transfer: TransferHandle, _ session: SessionCore, _ manager: AFURLSessionManager, _ old: AFURLSessionDataTask
  ) {
    let new = AFURLSessionDownloadTask(core: self)
    state.withLock { state in
      state.body.becameDownload = true
      state.shell.any = new
      state.shell.running = new
    }
    manager.urlSession(session.shell, dataTask: old, didBecome: new)
    transfer.route(DownloadRoute(task: self, transfer: transfer, session: session).begin())
  }

  /// A piece of the body, for the block. On the callback queue.
  func deliver(_ chunk: Data) {
    let (manager, session) = state.withLock { state in
      state.hasQueuedCallbacks = true
      return (state.owner.manager, state.owner.session)
    }
    guard let manager, let session, let shell = dataShell else { return }
    manager.urlSession(session.shell, dataTask: shell, didReceive: chunk)
  }
}
