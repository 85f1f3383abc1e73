// Prints the network's state, and each change of it.
//
//   WatchReachability [HOST] [--once]

import AFReachability
import Foundation

var words = Array(CommandLine.arguments.dropFirst())
let isOnce = words.contains("--once")
words.removeAll { $0 == "--once" }

// A burst of changes, as when a cable is pulled and put in, counts as one after half a second of quiet.
let target: AFReachabilityTarget = words.first.map { .host($0) } ?? .general
let manager = AFNetworkReachabilityManager(target: target, debounce: 0.5)

for await state in manager.states() {
  // Until the first look at the network is over.
  if state.status == .unknown, state.failure == nil { continue }
  let way = state.interfaceName.map { " over \($0)" } ?? ""
  let metered = state.isLikelyMetered ? ", likely metered" : ""
  print("\(state.isReachable ? "reachable" : "not reachable")\(way)\(metered)")
  if let failure = state.failure { print(failure.description) }
  if isOnce { break }
}
