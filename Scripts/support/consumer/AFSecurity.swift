import AFSecurity
import Foundation

let policy = AFSecurityPolicy(pinningMode: .publicKey)
guard policy.sslPinningMode == .publicKey, policy.validatesDomainName else { exit(1) }
print("a policy that pins public keys")
