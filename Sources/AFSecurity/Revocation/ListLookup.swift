import COpenSSL

/// Revocation lists as a part of path validation.
///
/// OpenSSL looks every certificate up while it walks the path. What it could not find out is noted and tolerated here; whether
/// silence is acceptable is decided afterwards, when the stapled response has been heard too.
final class ListLookup {
  /// Positions in the path about which the lists say nothing.
  private(set) var unknown: Set<Int> = []
  private let checking: AFRevocationChecking

  init(_ checking: AFRevocationChecking) { self.checking = checking }

  /// Whether there are no lists; a stapled response may still be asked for.
  var isEmpty: Bool { checking.revocationLists.isEmpty }

  /// Runs `verify` with the lists installed in `context`.
  func run(in context: OpaquePointer, verify: () -> Bool) -> Bool {
    guard !isEmpty, let stack = OPENSSL_sk_new_null() else { return verify() }
    defer { OPENSSL_sk_free(stack) }
    for list in checking.revocationLists { OPENSSL_sk_push(stack, UnsafeRawPointer(list.handle.pointer)) }
    X509_STORE_CTX_set0_crls(context, stack)
    let flags = X509_V_FLAG_CRL_CHECK | (checking.checksWholeChain ? X509_V_FLAG_CRL_CHECK_ALL : 0)
    X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), UInt(flags))
    X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
    X509_STORE_CTX_set_verify_cb(context) { accepted, context in
      guard accepted == 0, let owner = X509_STORE_CTX_get_ex_data(context, 0) else { return accepted }
      return Unmanaged<ListLookup>.fromOpaque(owner).takeUnretainedValue().tolerates(context) ? 1 : 0
    }
    return verify()
  }

  private func tolerates(_ context: OpaquePointer?) -> Bool {
    let failure = VerifyFailure(error: X509_STORE_CTX_get_error(context), depth: 0, path: [])
    guard failure.code == .revocationUnknown else { return false }
    unknown.insert(Int(X509_STORE_CTX_get_error_depth(context)))
    return true
  }
}
