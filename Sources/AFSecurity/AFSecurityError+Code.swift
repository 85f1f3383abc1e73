extension AFSecurityError {
  /// What went wrong; compare with the constants.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number that `NSError` shows.
    public let rawValue: Int

    /// A code from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    private init(_ value: Int) { rawValue = value }

    /// No path leads from the server's certificate to an anchor: unknown authority, self-signed, or missing intermediate.
    public static let untrustedChain = Code(1)
    /// A certificate of the chain is past its last day.
    public static let expired = Code(2)
    /// A certificate of the chain is before its first day.
    public static let notYetValid = Code(3)
    /// The certificate does not name the host; ``AFSecurityError/offeredNames`` says what it names.
    public static let hostMismatch = Code(4)
    /// No key or certificate of the chain is pinned; ``AFSecurityError/presentedPins`` says what was seen.
    public static let pinMismatch = Code(5)
    /// A certificate of the chain was revoked.
    public static let revoked = Code(6)
    /// Revocation information was required, and there was none that counts.
    public static let revocationUnknown = Code(7)
    /// A key of the chain is too small.
    public static let weakKey = Code(8)
    /// A signature of the chain uses a broken algorithm such as SHA-1.
    public static let weakSignature = Code(9)
    /// A certificate may not be used for what it is used: purpose, basic constraints, path length, or name constraints.
    public static let unsuitableCertificate = Code(10)
    /// The chain is longer than any honest one.
    public static let chainTooLong = Code(11)

    /// The policy pins, but holds no pin; so nothing can pass.
    public static let noPins = Code(20)
    /// `allowInvalidCertificates` together with a name check proves nothing without a pin.
    public static let pinRequired = Code(21)
    /// No policy applies to the host, and the policy refuses all others.
    public static let noPolicyForHost = Code(22)
    /// A subclass of `AFSecurityPolicy` said no.
    public static let refusedByPolicy = Code(23)

    /// Bytes that are not a certificate, or no certificate at all.
    public static let invalidCertificate = Code(40)
    /// A text or certificate that is not a pin.
    public static let invalidPin = Code(41)
    /// A private key that cannot be read or does not belong to its certificate.
    public static let invalidKey = Code(42)
    /// The passphrase does not open the key or the file, or is missing.
    public static let wrongPassphrase = Code(43)
    /// Bytes that are not a certificate revocation list.
    public static let invalidRevocationList = Code(44)
    /// A cipher list that OpenSSL does not understand, or that leaves nothing.
    public static let invalidCiphers = Code(45)
    /// A file that cannot be read or is too large.
    public static let unreadableFile = Code(46)

    /// A policy file that is not understood to the last word.
    public static let invalidPolicyFile = Code(47)

    /// No connection, no TLS handshake, or no certificate from the other side.
    public static let connectionFailed = Code(60)
  }
}
