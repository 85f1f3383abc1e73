import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

/// The seam between operations and AFCore: a manager, whose tasks operations run, and the way from the manager's blocks back to the
/// operation whose task is asked about.
///
/// The blocks are set when the first operation needs one, since a manager that asks no block is faster. Clients have a session each;
/// operations that were made by themselves share one.
final class OperationSession: Sendable {
  /// What an operation wants to be asked about.
  struct Questions: OptionSet, Sendable {
    let rawValue: Int

    static let challenge = Questions(rawValue: 1)
    static let redirect = Questions(rawValue: 2)
    static let cache = Questions(rawValue: 4)
  }

  private struct State {
    var answered: Questions = []
    var operations: [Int: AFURLConnectionOperation] = [:]
  }

  /// For operations that belong to no client.
  static let shared = OperationSession(baseURL: nil, configuration: nil)

  let manager: AFURLSessionManager
  /// The policy that the session is for; nil for a client's own, which may be replaced.
  let policy: AFSecurityPolicy?
  private let state = Locked(State())

  /// With a base URL the manager is one for HTTP, which refuses what its policy cannot protect.
  init(baseURL: URL?, policy: AFSecurityPolicy? = nil, configuration: URLSessionConfiguration?) {
    self.policy = policy
    manager =
      baseURL.map { AFHTTPSessionManager(baseURL: $0, sessionConfiguration: configuration) }
      ?? AFURLSessionManager(sessionConfiguration: configuration)
    // Streams are checked by it; an operation has a serializer of its own.
    let serializer = AFHTTPResponseSerializer()
    serializer.acceptableStatusCodes = nil
    manager.responseSerializer = serializer
    if let policy { manager.securityPolicy = policy }
  }

  /// Has `operation` asked about the task, until it is over.
  func route(_ task: AFURLSessionTask, to operation: AFURLConnectionOperation, _ questions: Questions) {
    guard !questions.isEmpty else { return }
    let missing = state.withLock { state in
      state.operations[task.taskIdentifier] = operation
      return questions.subtracting(state.answered)
    }
    guard !missing.isEmpty else { return }
    answer(missing)
    state.withLock { $0.answered.formUnion(missing) }
  }

  func endRoute(_ task: AFURLSessionTask) {
    let operation = state.withLock { state in
      state.operations.isEmpty ? nil : state.operations.removeValue(forKey: task.taskIdentifier)
    }
    withExtendedLifetime(operation) {}
  }

  private func operation(_ task: AFURLSessionTask) -> AFURLConnectionOperation? {
    state.withLock { $0.operations[task.taskIdentifier] }
  }

  /// Sets the manager's blocks. They count for tasks that are resumed afterwards.
  private func answer(_ questions: Questions) {
    if questions.contains(.challenge) {
      manager.setAuthenticationChallengeHandler { [weak self] _, task, challenge, completion in
        guard let operation = self?.operation(task) else {
          return AFURLSession.AuthChallengeDisposition.performDefaultHandling
        }
        operation.answer(challenge, task, completion)
        return NSNull()
      }
    }
    if questions.contains(.redirect) {
      manager.setTaskWillPerformHTTPRedirectionBlock { [weak self] _, task, response, request in
        guard let operation = self?.operation(task) else { return request }
        return operation.redirected(task, request, response)
      }
    }
    if questions.contains(.cache) {
      manager.setDataTaskWillCacheResponseBlock { [weak self] _, task, response in
        self?.operation(task)?.cached(task, response) ?? response
      }
    }
  }
}
