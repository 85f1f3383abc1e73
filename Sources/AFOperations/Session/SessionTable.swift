import AFCore
import AFSecurity
import AFSupport
import Foundation
import FoundationNetworking

/// The sessions of one client: its own, and one for each other policy that an operation brings along.
///
/// A policy belongs to connections, so operations under different policies must not share any. Give one policy to all operations that
/// may share connections.
final class SessionTable: Sendable {
  /// How many other sessions are kept, so that operations which follow one another find their connections.
  private static let limit = 4

  static let shared = SessionTable(.shared)

  /// The session under the client's own policy.
  let home: OperationSession
  /// The one that was used last at the end.
  private let others = Locked<[OperationSession]>([])

  init(_ home: OperationSession) { self.home = home }

  convenience init(baseURL: URL?, configuration: URLSessionConfiguration?) {
    self.init(OperationSession(baseURL: baseURL, configuration: configuration))
  }

  /// The session for operations under `policy`; nil means the client's own.
  func session(under policy: AFSecurityPolicy?) -> OperationSession {
    guard let policy, policy !== home.manager.securityPolicy else { return home }
    if let session = others.withLock({ Self.take(policy, from: &$0) }) { return session }
    let made = OperationSession(baseURL: nil, policy: policy, configuration: home.manager.session.configuration)
    let (session, surplus) = others.withLock { others -> (OperationSession, OperationSession?) in
      if let session = Self.take(policy, from: &others) { return (session, nil) }
      others.append(made)
      return (made, others.count > Self.limit ? others.removeFirst() : nil)
    }
    withExtendedLifetime(surplus) {}
    return session
  }

  private static func take(_ policy: AFSecurityPolicy, from others: inout [OperationSession]) -> OperationSession? {
    guard let index = others.firstIndex(where: { $0.policy === policy }) else { return nil }
    let session = others.remove(at: index)
    others.append(session)
    return session
  }
}
