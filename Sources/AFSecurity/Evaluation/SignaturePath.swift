import COpenSSL

/// The path that signatures alone prove, for a policy that accepts invalid certificates.
///
/// Such a policy asks for no anchor and no dates, but a key pin must still be reached by signatures: otherwise anybody could
/// send the pinned certificate behind a leaf of their own and pass.
enum SignaturePath {
  /// The leaf and, above it, each authority among `presented` and `extra` that issued and signed the one below.
  static func build(_ presented: [X509Handle], and extra: [X509Handle]) -> [X509Handle] {
    guard let leaf = presented.first else { return [] }
    var path = [leaf]
    var candidates = Array(presented.dropFirst()) + extra
    defer { ERR_clear_error() }
    while path.count <= maximumLength, let last = path.last, X509_self_signed(last.pointer, 0) != 1,
      let index = candidates.firstIndex(where: { signs($0, last) })
    {
      path.append(candidates.remove(at: index))
    }
    return path
  }

  private static let maximumLength = 16

  private static func signs(_ issuer: X509Handle, _ subject: X509Handle) -> Bool {
    X509_check_issued(issuer.pointer, subject.pointer) == X509_V_OK
      && X509_check_ca(issuer.pointer) > 0
      && X509_verify(subject.pointer, X509_get0_pubkey(issuer.pointer)) == 1
  }
}
