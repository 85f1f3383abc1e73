import Foundation

/// The subclasses of a policy that are being asked on this thread, one within the other.
///
/// What they call on themselves must not ask them again, and what they leave to `super` is judged at the moment that the question
/// was about.
struct PolicyQuestion: Sendable {
  private var policies: Set<ObjectIdentifier> = []
  private var date: Date?

  @TaskLocal private static var current = PolicyQuestion()

  /// Whether `policy` is being asked.
  static func isAsked(_ policy: AFSecurityPolicy) -> Bool { current.policies.contains(ObjectIdentifier(policy)) }

  /// The moment that the question is about; nil if it is the present, or there is no question.
  static var date: Date? { current.date }

  /// Asks a subclass.
  static func ask(
    _ policy: AFSecurityPolicy, _ trust: AFServerTrust, _ host: String?, at date: Date?
  ) -> Bool {
    var question = current
    question.policies.insert(ObjectIdentifier(policy))
    question.date = date ?? question.date
    return $current.withValue(question) { policy.evaluateServerTrust(trust, forDomain: host) }
  }
}
