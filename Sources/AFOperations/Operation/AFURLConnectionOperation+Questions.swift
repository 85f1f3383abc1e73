import AFCore
import AFSupport
import Foundation
import FoundationNetworking

extension AFURLConnectionOperation {
  /// Answers a challenge: the block, then the credential, then the policy and the storage.
  func answer(
    _ challenge: URLAuthenticationChallenge, _ task: AFURLSessionTask, _ completion: @escaping ChallengeSender.Answer
  ) {
    let blocks = core.withLock { $0.blocks }
    let space = challenge.protectionSpace
    if let block = blocks.challenge, blocks.mayAuthenticate?(task, space) ?? true {
      return block(
        task, URLAuthenticationChallenge(authenticationChallenge: challenge, sender: ChallengeSender(completion)))
    }
    if space.serverTrust != nil || space.authenticationMethod == NSURLAuthenticationMethodClientCertificate {
      return completion(.performDefaultHandling, nil)
    }
    if challenge.previousFailureCount == 0 {
      if let credential { return completion(.useCredential, credential) }
      if shouldUseCredentialStorage { return completion(.performDefaultHandling, nil) }
    }
    completion(.rejectProtectionSpace, nil)
  }

  func redirected(_ task: AFURLSessionTask, _ request: URLRequest, _ response: URLResponse) -> URLRequest? {
    guard let block = core.withLock({ $0.blocks }).redirect else { return request }
    return block(task, request, response)
  }

  func cached(_ task: AFURLSessionTask, _ response: CachedURLResponse) -> CachedURLResponse {
    guard let block = core.withLock({ $0.blocks }).cache else { return response }
    return block(task, response)
      ?? CachedURLResponse(response: response.response, data: Data(), userInfo: nil, storagePolicy: .notAllowed)
  }
}
