/// What one task and one ``Asker`` have said to each other: which answers were refused, and which is to be given next. Pure.
///
/// A space whose credentials are refused is asked about again, with a higher count, until whoever answers stops. A space that is
/// rejected makes way for the next weaker one. Ten refusals are the end in any case.
struct AskerLedger: Sendable {
  typealias Space = AuthenticationOffer.Space

  /// So many refused answers end the asking. A handler that gives the same again and again must not keep a task busy.
  static let limit = 10
  /// So many times in a row may a server call a nonce stale that it has just given.
  static let staleLimit = 3
  /// So many times is an answer taken that others have found meanwhile.
  static let silentLimit = 5

  /// So many challenges are looked at. Each answer is bounded by the other limits; this one holds whatever else is wrong.
  static let challengeLimit = 64

  /// What the running hop carries.
  struct Carried: Sendable {
    var answer: AuthenticationAnswer
    /// Given before the asker asked this task.
    var isEarly: Bool
    var digest: DigestAnswer?
  }

  enum Step: Equatable, Sendable {
    /// The login was good, the nonce too old.
    case again(AuthenticationOffer, Login)
    case ask(AuthenticationOffer)
    case end
  }

  /// What the task's requests carry from now on.
  var chosen: AuthenticationAnswer?
  var carried: Carried?
  private var failures: [Space: Int] = [:]
  private var lastRefused: [Space: Login] = [:]
  private var refused: Set<Login> = []
  private var closed: Set<Space> = []
  private var staleCount = 0
  private var silentCount = 0
  private var challengeCount = 0

  /// The asker asks, perhaps in answer to what the hop carried.
  mutating func challenged(by offers: [AuthenticationOffer]) -> Step {
    let answered = carried
    carried = nil
    chosen = nil
    challengeCount += 1
    guard challengeCount <= Self.challengeLimit else { return .end }
    if let answered {
      let login = answered.answer.login
      if let sent = answered.digest,
        let offer = offers.first(where: { $0.space == answered.answer.space && $0.digest?.isStale == true }),
        offer.digest?.nonce != sent.nonce, staleCount < Self.staleLimit
      {
        staleCount += 1
        return .again(offer, login)
      }
      // What was remembered may have been good once: whoever knows is asked from the beginning.
      if !answered.isEarly { refuse(login, in: answered.answer.space) }
    }
    return next(of: offers).map { .ask($0) } ?? .end
  }

  /// The Digest answer that the hop carries; nil if there is none to be had: the nonce is used up, or the body cannot be read twice.
  mutating func note(_ answer: DigestAnswer?) {
    if let answer {
      carried?.digest = answer
    } else if let carried {
      // The hop goes without, and is not answered the same way again.
      if !carried.isEarly { close(carried.answer.space) }
      self.carried = nil
      chosen = nil
    }
  }

  /// What the hop carried has been accepted.
  /// - Returns: What is worth being remembered, if it is new.
  mutating func accepted() -> AuthenticationAnswer? {
    staleCount = 0
    guard let carried, !carried.isEarly else { return nil }
    self.carried?.isEarly = true
    return carried.answer
  }

  /// Counts a refusal: by the asker, or of a login that it has refused before and need not see again.
  mutating func refuse(_ login: Login, in space: Space) {
    failures[space, default: 0] += 1
    lastRefused[space] = login
    refused.insert(login)
    // A ticket that was not there, or not taken, is no better the next time.
    if space.scheme == .negotiate { close(space) }
  }

  /// Nothing more is answered in this space.
  mutating func close(_ space: Space) { closed.insert(space) }

  /// The strongest offer that may still be answered.
  func next(of offers: [AuthenticationOffer]) -> AuthenticationOffer? {
    failures.values.reduce(0, +) < Self.limit ? offers.first { !closed.contains($0.space) } : nil
  }

  func failureCount(_ space: Space) -> Int { failures[space] ?? 0 }

  func lastRefused(_ space: Space) -> Login? { lastRefused[space] }

  func hasRefused(_ login: Login, in space: Space) -> Bool { lastRefused[space] == login }

  /// Whether a login may be tried without asking anybody: once, and not in the clear after a stronger scheme has refused it.
  func mayTry(_ login: Login, for offer: AuthenticationOffer) -> Bool {
    failureCount(offer.space) == 0 && !closed.contains(offer.space)
      && !(offer.scheme == .basic && refused.contains(login))
  }

  /// Whether an answer that the session has got meanwhile may take the place of a question.
  mutating func mayTakeSilently(_ login: Login, for offer: AuthenticationOffer) -> Bool {
    guard !hasRefused(login, in: offer.space), silentCount < Self.silentLimit else { return false }
    silentCount += 1
    return true
  }
}
