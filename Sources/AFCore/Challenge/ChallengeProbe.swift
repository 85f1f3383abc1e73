/// Challenges in, answers out, for the fuzz target: all that is made of bytes from a stranger before a request goes out.
package enum ChallengeProbe {
  /// The fields that answer the offers of a 401 with these values of WWW-Authenticate, the strongest first, and whether the values of
  /// an Authentication-Info contradict one of them.
  package static func answers(
    to values: [[UInt8]], info: [[UInt8]], user: String, password: String, method: String, url: String
  ) -> (fields: [String], isContradicted: Bool) {
    let login = Login(user: user, password: password)
    let info = AuthenticationInfo(info)
    let path = RequestTarget.path(url)
    var fields: [String] = []
    var isContradicted = false
    for offer in AuthenticationOffer.all(in: ChallengeParser.challenges(in: values)) {
      let paths = ProtectedPaths(offer, for: path, of: nil)
      guard let answer = AuthenticationAnswer(offer, login, .storage, paths: paths) else { continue }
      precondition(paths.match("/../") == nil, "a path with dot segments is sent credentials unasked")
      if let field = answer.field { fields.append(field) }
      guard let session = answer.digest else { continue }
      for _ in 0..<2 {
        let subject = DigestAnswer.Subject(method: method, target: RequestTarget.origin(url), bodyHash: "00")
        guard let sent = session.answer(subject) else { continue }
        fields.append(sent.field)
        isContradicted = isContradicted || info.contradicts(sent)
        if let next = info.nextNonce { session.take(nextNonce: next, after: sent.nonce) }
      }
    }
    return (fields, isContradicted)
  }
}
