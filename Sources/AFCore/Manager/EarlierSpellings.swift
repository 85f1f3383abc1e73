import Foundation
public import FoundationNetworking

// What AFNetworking 2 and 3 had, so that calls written for them compile. The verbs' own older forms need nothing here: they
// are the newest ones without the arguments that have defaults.

extension AFURLSessionManager {
  /// AFNetworking 3's form of `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`.
  @preconcurrency @discardableResult
  public func dataTask(
    with request: URLRequest, completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionDataTask {
    dataTask(with: request, uploadProgress: nil, downloadProgress: nil, completionHandler: completionHandler)
  }

  /// AFNetworking 3's form of ``invalidateSessionCancelingTasks(_:resetSession:)``: the session is not made anew.
  public func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool) {
    invalidateSessionCancelingTasks(cancelPendingTasks, resetSession: false)
  }

  /// Always false, and setting it does nothing: there are no background sessions on Linux.
  public var attemptsToRecreateUploadTasksForBackgroundSessions: Bool {
    get { false }
    set {}
  }

  /// AFNetworking 3's form of ``setAuthenticationChallengeHandler(_:)``: the credential goes through the pointer.
  @preconcurrency
  public func setTaskDidReceiveAuthenticationChallenge(
    _ block: (
      @Sendable (AFURLSession, AFURLSessionTask, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
        AFURLSession.AuthChallengeDisposition
    )?
  ) {
    guard let block else { return core.setBlocks { $0.taskChallenge = nil } }
    setAuthenticationChallengeHandler { session, task, challenge, completion in
      var credential: URLCredential?
      completion(block(session, task, challenge, &credential), credential)
      return NSNull()
    }
  }
}
