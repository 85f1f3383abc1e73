import AFTransport

/// What an Authentication-Info or Proxy-Authentication-Info field says about an answer by Digest (RFC 7616 §3.5).
struct AuthenticationInfo: Equatable, Sendable {
  var nextNonce: String?
  /// The server's proof that it knows the password too (`rspauth`).
  var proof: String?
  /// Which `qop` the proof is for, if it says so.
  var quality: String?

  init(_ values: [[UInt8]]) {
    let parameters = ChallengeParser.parameters(in: values)
    nextNonce = parameters.text("nextnonce").flatMap { $0.isEmpty ? nil : $0 }
    proof = parameters.text("rspauth")
    quality = parameters.text("qop")
  }

  init(_ head: ResponseHead, isProxy: Bool) {
    self.init(head.octets(isProxy ? "Proxy-Authentication-Info" : "Authentication-Info"))
  }

  /// Whether the server gave a proof, and it is wrong. One over the body is not looked at: it is judged with the head, before the
  /// body is there.
  func contradicts(_ answer: DigestAnswer) -> Bool {
    guard let proof, let expected = answer.proof, quality?.equalsIgnoringCase("auth-int") != true else { return false }
    return !proof.equalsIgnoringCase(expected)
  }
}

extension ResponseHead {
  /// Every value of a field as it came.
  func octets(_ name: String) -> [[UInt8]] {
    var found: [[UInt8]] = []
    forEachField { fieldName, value in
      if String(decoding: fieldName, as: UTF8.self).equalsIgnoringCase(name) { found.append(Array(value)) }
    }
    return found
  }
}
