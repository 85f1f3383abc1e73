import AFReachability
import Foundation

// Loopback is reachable wherever a program runs; the argument is the URL of a server on it.
let host = URL(string: CommandLine.arguments[1])?.host ?? ""
let manager = AFNetworkReachabilityManager(forDomain: host)
let state = try await manager.waitUntilReachable(timeout: 10)
precondition(state.interfaceKind == .loopback, "\(state)")
print("\(host) is reachable through loopback")
