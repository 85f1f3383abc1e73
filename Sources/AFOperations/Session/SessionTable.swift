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
  private struct Weak {
    weak var session: OperationSession?
  }

  static let shared = SessionTable(.shared)

  /// The session under the client's own policy.
  let home: OperationSession
  private let others = Locked<[ObjectIdentifier: Weak]>([:])

  init(_ home: OperationSession) { self.home = home }

  convenience init(baseURL: URL?, configuration: URLSessionConfiguration?) {
    self.init(OperationSession(baseURL: baseURL, configuration: configuration))
  }

  /// The session for operations under `policy`; nil means the client's own.
  func session(under policy: AFSecurityPolicy?) -> OperationSession {
    guard let policy, policy !== home.manager.securityPolicy else { return home }
    // The session holds its policy, so the address is not another's while the session lives.
    let key = ObjectIdentifier(policy)
    if let session = others.withLock({ $0[key]?.session }), session.manager.securityPolicy === policy {
      return session
    }
    let made = OperationSession(baseURL: nil, configuration: home.manager.session.configuration)
    made.manager.securityPolicy = policy
    return others.withLock { others in
      if let session = others[key]?.session { return session }
      if others.count > 16 { others = others.filter { $0.value.session != nil } }
      others[key] = Weak(session: made)
      return made
    }
  }
}
