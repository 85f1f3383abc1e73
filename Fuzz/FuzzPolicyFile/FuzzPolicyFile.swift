internal import AFSecurity
internal import Foundation
internal import FuzzSupport

/// The bytes of a policy file: a policy that judges and can be archived, or an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPolicyFile(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let json = Data(bytes: bytes, count: count)
  let nowhere = URL(fileURLWithPath: "/nonexistent", isDirectory: true)
  guard let policy = try? AFSecurityPolicy.policy(json: json, directory: nowhere) else { return 0 }
  let emptyTrust = AFServerTrust(certificates: [])
  demand(!policy.evaluateServerTrust(emptyTrust, forDomain: "a.test"), "a server without a certificate is accepted")
  _ = (policy.pinsAnything, policy.snapshot().requirements(forHost: "a.test").minimumVersion)
  demand(policy.copy() is AFSecurityPolicy, "no copy")
  return 0
}
