import Foundation
import FoundationNetworking

/// The blocks of a manager, as AFNetworking has them.
struct ManagerBlocks: Sendable {
  typealias Challenge =
    @Sendable (
      AFURLSession, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?
    ) -> AFURLSession.AuthChallengeDisposition
  typealias TaskChallenge =
    @Sendable (
      AFURLSession, AFURLSessionTask, URLAuthenticationChallenge,
      @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) -> Any

  var sessionDidBecomeInvalid: (@Sendable (AFURLSession, any Error) -> Void)?
  var sessionChallenge: Challenge? { didSet { challengeGeneration += 1 } }
  var needNewBodyStream: (@Sendable (AFURLSession, AFURLSessionTask) -> InputStream)?
  var redirection: (@Sendable (AFURLSession, AFURLSessionTask, URLResponse, URLRequest) -> URLRequest?)?
  var taskChallenge: TaskChallenge? { didSet { challengeGeneration += 1 } }
  /// How often one of the two was set: what an earlier one answered is no longer used.
  private(set) var challengeGeneration = 0
  var didSendBodyData: (@Sendable (AFURLSession, AFURLSessionTask, Int64, Int64, Int64) -> Void)?
  var didComplete: (@Sendable (AFURLSession, AFURLSessionTask, (any Error)?) -> Void)?
  var didFinishCollectingMetrics: (@Sendable (AFURLSession, AFURLSessionTask, AFURLSessionTaskMetrics?) -> Void)?
  var didReceiveResponse:
    (@Sendable (AFURLSession, AFURLSessionDataTask, URLResponse) -> AFURLSession.ResponseDisposition)?
  var didBecomeDownloadTask: (@Sendable (AFURLSession, AFURLSessionDataTask, AFURLSessionDownloadTask) -> Void)?
  var didReceiveData: (@Sendable (AFURLSession, AFURLSessionDataTask, Data) -> Void)?
  var willCacheResponse: (@Sendable (AFURLSession, AFURLSessionDataTask, CachedURLResponse) -> CachedURLResponse)?
  var didFinishEvents: (@Sendable (AFURLSession) -> Void)?
  var didFinishDownloading: (@Sendable (AFURLSession, AFURLSessionDownloadTask, URL) -> URL?)?
  var didWriteData: (@Sendable (AFURLSession, AFURLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
  var didResumeDownload: (@Sendable (AFURLSession, AFURLSessionDownloadTask, Int64, Int64) -> Void)?
}

/// What somebody wants to hear of, or to decide. Where nobody does, tasks go the short way.
struct Interests: OptionSet, Sendable {
  let rawValue: Int

  static let challenge = Interests(rawValue: 1 << 0)
  static let bodyStream = Interests(rawValue: 1 << 1)
  static let redirect = Interests(rawValue: 1 << 2)
  static let sendBody = Interests(rawValue: 1 << 3)
  static let complete = Interests(rawValue: 1 << 4)
  static let metrics = Interests(rawValue: 1 << 5)
  static let response = Interests(rawValue: 1 << 6)
  static let data = Interests(rawValue: 1 << 7)
  static let cache = Interests(rawValue: 1 << 8)
  static let writeData = Interests(rawValue: 1 << 9)
  static let finishDownload = Interests(rawValue: 1 << 10)
  static let resumeDownload = Interests(rawValue: 1 << 11)
  /// The class decides by itself which policy is in force.
  static let policy = Interests(rawValue: 1 << 12)
  static let all = Interests(rawValue: (1 << 13) - 1)
}

/// A manager's blocks at one moment, shared by the tasks that began with them.
final class BlockTable: Sendable {
  static let none = BlockTable(ManagerBlocks(), base: [])

  let blocks: ManagerBlocks
  let interests: Interests
  /// The token source, here so that a task gets it without asking for more.
  let bearer: BearerUse?
  /// Changes with whoever is asked about servers: what one handler decided does not bind the next.
  let challengeEpoch: Int

  /// For a task that the app does not see: without anything but the token source.
  var silent: BlockTable { BlockTable(ManagerBlocks(), base: [], bearer: bearer) }

  /// `base` is what the manager's class wants to be called for, whether a block is set or not.
  init(_ blocks: ManagerBlocks, base: Interests, bearer: BearerUse? = nil, challengeEpoch: Int = 0) {
    self.blocks = blocks
    self.bearer = bearer
    self.challengeEpoch = challengeEpoch
    var interests = base
    func note(_ interest: Interests, _ isSet: Bool) { if isSet { interests.insert(interest) } }
    note(.challenge, blocks.sessionChallenge != nil || blocks.taskChallenge != nil)
    note(.bodyStream, blocks.needNewBodyStream != nil)
    note(.redirect, blocks.redirection != nil)
    note(.sendBody, blocks.didSendBodyData != nil)
    note(.complete, blocks.didComplete != nil)
    note(.metrics, blocks.didFinishCollectingMetrics != nil)
    note(.response, blocks.didReceiveResponse != nil)
    note(.data, blocks.didReceiveData != nil)
    note(.cache, blocks.willCacheResponse != nil)
    note(.writeData, blocks.didWriteData != nil)
    note(.finishDownload, blocks.didFinishDownloading != nil)
    note(.resumeDownload, blocks.didResumeDownload != nil)
    self.interests = interests
  }
}
