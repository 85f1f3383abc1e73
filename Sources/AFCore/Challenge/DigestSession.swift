import AFSupport

/// One nonce and what is done with it: every request that uses it has a count of its own (RFC 7616 §3.4, `nc`), however many
/// there are at once.
final class DigestSession: Sendable {
  private struct State {
    var nonce: String
    var cnonce: String
    var count: UInt32 = 0
  }

  let login: Login
  private let challenge: DigestChallenge
  /// `H(username:realm:password)`.
  private let secret: String
  private let makeNonce: @Sendable () -> String
  private let state: Locked<State>

  /// Nil if the login cannot be answered with. `makeNonce` makes the client's nonces, and is for tests.
  init?(
    _ challenge: DigestChallenge, _ login: Login, makeNonce: @escaping @Sendable () -> String = DigestSession.makeNonce
  ) {
    guard let secret = DigestAnswer.secret(challenge, login) else { return nil }
    self.challenge = challenge
    self.login = login
    self.secret = secret
    self.makeNonce = makeNonce
    state = Locked(State(nonce: challenge.nonce, cnonce: makeNonce()))
  }

  var algorithm: DigestAlgorithm { challenge.algorithm }
  /// Whether an answer needs the body's digest.
  var coversBody: Bool { challenge.quality == .integrity }

  /// The next answer; nil if the nonce has been used as often as it can be, or the subject cannot be answered about.
  func answer(_ subject: DigestAnswer.Subject) -> DigestAnswer? {
    let fresh = makeNonce()
    let used = state.withLock { state -> State? in
      guard state.count < .max else { return nil }
      state.count += 1
      // The key of a -sess algorithm is made of the first request's, so that one stays as long as the nonce does. Elsewhere each
      // request has its own.
      if !challenge.algorithm.isSession, state.count > 1 { state.cnonce = fresh }
      return state
    }
    guard let used else { return nil }
    var current = challenge
    current.nonce = used.nonce
    return DigestAnswer(current, login, secret: secret, subject, cnonce: used.cnonce, count: used.count)
  }

  /// The server wants its next nonce used (RFC 7615 §3.1). `used` is the nonce of the request that it answers: of answers to
  /// requests that overlapped, the first one counts.
  func take(nextNonce: String, after used: String) {
    let cnonce = makeNonce()
    state.withLock { state in
      guard state.nonce == used, nextNonce != used else { return }
      state = State(nonce: nextNonce, cnonce: cnonce)
    }
  }

  /// 128 random bits.
  static let makeNonce: @Sendable () -> String = {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
  }
}
