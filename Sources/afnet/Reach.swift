import AFReachability
import Foundation

extension Subcommand {
  /// `afnet reach`: what AFReachability says, once or as it changes.
  static let reach = Subcommand(
    name: "reach",
    summary: "says whether the Internet, a host or an interface can be reached, and over what",
    help: """
      Usage: afnet reach [HOST…] [--interface NAME] [--watch] [--timeout SECONDS] [--json]

      Says for each HOST (a name or an address) whether a route leads there, and over which interface; without one,
      whether there is a working default route. Nothing is sent to the hosts.

        --interface NAME    ask about an interface too: that it works and has an address
        --watch             go on, with a line for every change, until interrupted
        --timeout SECONDS   without --watch: how long names may take (default 10)
        --json              one JSON object for each line

      Exit status: 0 everything asked about is reachable, 1 something is not, 2 wrong command line.
      """,
    run: { words in
      let request = try ReachRequest(words)
      return request.isWatching ? await request.watch() : await request.askOnce()
    }
  )
}

/// What the command line asks for.
private struct ReachRequest: Sendable {
  var targets: [(label: String, target: AFReachabilityTarget)] = []
  var isWatching = false
  var isJSON = false
  var timeout = 10.0

  init(_ words: [String]) throws {
    var rest = words[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--watch": isWatching = true
      case "--json": isJSON = true
      case "--interface":
        let name = try value(of: word)
        targets.append(("interface \(name)", .interface(name)))
      case "--timeout":
        let text = try value(of: word)
        guard let seconds = Double(text), seconds >= 0 else { throw UsageError("'\(text)' is not a number of seconds") }
        timeout = seconds
      case _ where word.hasPrefix("-"): throw UsageError("unknown option '\(word)'")
      default: targets.append((word, .host(word)))
      }
    }
    if targets.isEmpty { targets = [("general", .general)] }
  }

  /// The first state of each target.
  func askOnce() async -> ExitStatus {
    var isAllReachable = true
    for (label, target) in targets {
      let state = await first(of: target)
      show(label, state)
      isAllReachable = isAllReachable && state.isReachable
    }
    return isAllReachable ? .success : .failure
  }

  private func first(of target: AFReachabilityTarget) async -> AFReachabilityState {
    let manager = AFNetworkReachabilityManager(target: target)
    return await withTaskGroup(of: AFReachabilityState?.self) { group in
      group.addTask {
        for await state in manager.states() { return state }
        return nil
      }
      group.addTask {
        try? await Task.sleep(nanoseconds: UInt64(min(timeout, 1e9) * 1e9))
        return nil
      }
      let state = await group.next() ?? nil
      group.cancelAll()
      return state ?? AFReachabilityState(status: .unknown)
    }
  }

  /// Every state of each target, for ever.
  func watch() async -> ExitStatus {
    await withTaskGroup(of: Void.self) { group in
      for (label, target) in targets {
        group.addTask {
          for await state in AFNetworkReachabilityManager(target: target).states() { show(label, state) }
        }
      }
    }
    return .success
  }

  private func show(_ label: String, _ state: AFReachabilityState) {
    let time = Date()
    let line = isJSON ? ReachLine(time: time, label: label, state: state).json : text(time, label, state)
    // Written at once, also into a pipe.
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  private func text(_ time: Date, _ label: String, _ state: AFReachabilityState) -> String {
    var parts = ["\(time.ISO8601Format())", label, AFStringFromNetworkReachabilityStatus(state.status)]
    for path in state.paths {
      let gateway = path.gateway.map { " through \($0)" } ?? ""
      let source = path.sourceAddress.map { " from \($0)" } ?? ""
      parts.append("\(path.interfaceName) (\(path.interfaceKind.rawValue))\(source)\(gateway)")
    }
    if let failure = state.failure { parts.append("\(failure)") }
    return parts.joined(separator: "  ")
  }
}

/// One line of `--json`.
private struct ReachLine: Encodable {
  struct Path: Encodable {
    let family: String
    let interface: String
    let kind: String
    let source: String?
    let gateway: String?
    let mtu: Int
    let metered: Bool
  }

  let time: Date
  let target: String
  let status: String
  let reachable: Bool
  let since: Date
  let paths: [Path]
  let failure: String?

  init(time: Date, label: String, state: AFReachabilityState) {
    self.time = time
    target = label
    status = AFStringFromNetworkReachabilityStatus(state.status)
    reachable = state.isReachable
    since = state.since
    failure = state.failure?.description
    paths = state.paths.map {
      Path(
        family: $0.family.rawValue, interface: $0.interfaceName, kind: $0.interfaceKind.rawValue,
        source: $0.sourceAddress, gateway: $0.gateway, mtu: $0.mtu, metered: $0.isLikelyMetered
      )
    }
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    guard let data = try? encoder.encode(self) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}
