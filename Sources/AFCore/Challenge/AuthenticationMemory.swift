import AFSupport

/// What the servers and proxies of a session have accepted, so that it is sent before they ask again: Basic below the path that was
/// asked about, Digest while its nonce is good.
final class AuthenticationMemory: Sendable {
  /// Askers, and spaces of each; the oldest make way.
  static let askerLimit = 256
  static let spaceLimit = 16

  private struct State {
    var known: [Asker: [AuthenticationAnswer]] = [:]
    var order: [Asker] = []
  }

  private let state = Locked(State())

  var isEmpty: Bool { state.withLock { $0.known.isEmpty } }

  /// What to answer with before `asker` asks: that of the space whose paths fit best, and of several the newest.
  func answer(to asker: Asker, path: String) -> AuthenticationAnswer? {
    let answers = state.withLock { $0.known[asker] ?? [] }
    var best: (answer: AuthenticationAnswer, length: Int)?
    for answer in answers {
      guard let length = answer.paths.match(path), length >= best?.length ?? 0 else { continue }
      best = (answer, length)
    }
    return best?.answer
  }

  /// What `asker` has accepted in a space.
  func answer(to asker: Asker, in space: AuthenticationOffer.Space) -> AuthenticationAnswer? {
    state.withLock { $0.known[asker]?.last { $0.space == space } }
  }

  func remember(_ answer: AuthenticationAnswer, for asker: Asker) {
    state.withLock { state in
      var answer = answer
      var answers = state.known[asker] ?? []
      if let index = answers.firstIndex(where: { $0.space == answer.space }) {
        if answers[index].login == answer.login { answer.paths.add(answers[index].paths) }
        answers.remove(at: index)
      } else if state.known[asker] == nil {
        state.order.append(asker)
      }
      answers.append(answer)
      if answers.count > Self.spaceLimit { answers.removeFirst() }
      state.known[asker] = answers
      if state.order.count > Self.askerLimit { state.known[state.order.removeFirst()] = nil }
    }
  }

  /// `asker` refused the login, or it is no longer good; what others have found meanwhile stays.
  func forget(_ login: Login, in space: AuthenticationOffer.Space, of asker: Asker) {
    state.withLock { state in
      state.known[asker]?.removeAll { $0.space == space && $0.login == login }
      if state.known[asker]?.isEmpty == true {
        state.known[asker] = nil
        state.order.removeAll { $0 == asker }
      }
    }
  }
}
