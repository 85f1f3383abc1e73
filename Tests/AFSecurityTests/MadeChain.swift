import AFSecurity
import AFTestSupport
import Foundation

/// A chain of random shape with at most one fault put in on purpose.
struct MadeChain {
  enum Fault: CaseIterable {
    case expiredLeaf, futureLeaf, expiredAuthority, otherHost, commonNameOnly, missingAuthority, strangerRoot
    case wrongPurpose, notAnAuthority, mayNotSign, pathTooLong, nameOutside, unknownCriticalExtension
    case weakLeafKey, weakAuthorityKey, weakLeafSignature, weakAuthoritySignature, selfSigned, forgedSignature

    var isWeakness: Bool {
      switch self {
      case .weakLeafKey, .weakAuthorityKey, .weakLeafSignature, .weakAuthoritySignature: true
      default: false
      }
    }
  }

  let root: TestAuthority
  let server: TestIdentity
  let host: String
  let faults: Set<Fault>

  /// Every third chain is good.
  init(index: Int, keys: KeyRing, using random: inout SeededGenerator) throws {
    let fault = index % 3 == 0 ? nil : Fault.allCases.randomElement(using: &random)
    try self.init(index: index, keys: keys, fault: fault, using: &random)
  }

  init(index: Int, keys: KeyRing, fault: Fault?, using random: inout SeededGenerator) throws {
    host = "host\(index).example.test"
    faults = fault.map { [$0] } ?? []

    var rootProfile = CertificateProfile.authority("Root \(index)")
    if fault == .pathTooLong { rootProfile.pathLength = 0 }
    root = try TestAuthority.make(rootProfile, key: keys.any(using: &random))
    var issuer = root
    let depth = fault.map { Self.depth($0, using: &random) } ?? Int.random(in: 0...3, using: &random)
    for level in 0..<depth {
      var profile = CertificateProfile.authority("Level \(level) of \(index)")
      var key = keys.any(using: &random)
      if level == depth - 1 { Self.spoil(&profile, &key, fault, keys) }
      issuer = try issuer.issueAuthority(profile, key: key)
    }
    if fault == .strangerRoot { issuer = try TestAuthority.make(.authority("Root \(index)")) }
    if fault == .forgedSignature {
      // The right names and key identifiers over the wrong key.
      issuer = try TestAuthority(impersonating: issuer)
    }
    var profile = CertificateProfile(names: Self.names(host, fault, using: &random))
    profile.commonName = host
    var key = keys.any(using: &random)
    Self.spoilLeaf(&profile, &key, fault, keys)
    var server =
      try fault == .selfSigned ? TestAuthority.selfSigned(profile, key: key) : issuer.issue(profile, key: key)
    if fault == .missingAuthority { server.intermediates.removeFirst() }
    if fault == nil, Bool.random(using: &random) { server.intermediates.shuffle(using: &random) }
    if Bool.random(using: &random) { server.intermediates.append(try TestAuthority.make().certificate) }
    self.server = server
  }

  func policy() throws -> AFSecurityPolicy {
    let policy = AFSecurityPolicy()
    policy.anchorCertificates = [try root.certificate.certificate()]
    policy.usesSystemAnchors = false
    return policy
  }

  /// Faults of an authority need one between root and leaf.
  private static func depth(_ fault: Fault, using random: inout SeededGenerator) -> Int {
    fault == .selfSigned ? 0 : Int.random(in: 1...3, using: &random)
  }

  private static func names(_ host: String, _ fault: Fault?, using random: inout SeededGenerator) -> [String] {
    switch fault {
    case .otherHost: ["other.test", "*.other.test"]
    case .commonNameOnly: []
    default: [[host], ["*.example.test"], ["other.test", host, "127.0.0.1"]].randomElement(using: &random) ?? [host]
    }
  }

  private static func spoil(_ profile: inout CertificateProfile, _ key: inout TestKey, _ fault: Fault?, _ keys: KeyRing)
  {
    switch fault {
    case .expiredAuthority: profile.notAfter = Date(timeIntervalSinceNow: -60)
    case .notAnAuthority: profile.isAuthority = false
    case .mayNotSign: profile.keyUsage = "digitalSignature"
    case .nameOutside: profile.nameConstraints = "permitted;DNS:inside.test"
    case .weakAuthorityKey: key = keys.weak
    case .weakAuthoritySignature: profile.digest = .sha1
    default: break
    }
  }

  private static func spoilLeaf(
    _ profile: inout CertificateProfile, _ key: inout TestKey, _ fault: Fault?, _ keys: KeyRing
  ) {
    switch fault {
    case .expiredLeaf: profile.notAfter = Date(timeIntervalSinceNow: -60)
    case .futureLeaf: profile.notBefore = Date(timeIntervalSinceNow: 3600)
    case .wrongPurpose: profile.extendedKeyUsage = "clientAuth"
    case .unknownCriticalExtension: profile.extensions = [("1.2.3.4", "critical,DER:0500")]
    case .weakLeafKey: key = keys.weak
    case .weakLeafSignature: profile.digest = .sha1
    default: break
    }
  }
}

/// Keys made once; making RSA keys for each of 200 chains would take minutes.
struct KeyRing {
  let weak: TestKey
  private let keys: [TestKey]

  init() throws {
    weak = try TestKey(.rsa1024)
    // No Ed25519: a fault of the digest would not show.
    keys = try [TestKey.Kind.rsa2048, .rsa2048, .p256, .p256, .p384].map { try TestKey($0) }
  }

  func any(using random: inout SeededGenerator) -> TestKey { keys.randomElement(using: &random) ?? weak }
}

/// The same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
