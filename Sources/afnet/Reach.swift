import AFArguments
import AFReachability
import AFSupport
import Foundation

extension CommandOption {
  fileprivate static let reachInterface = CommandOption(
    "interface", nil, .text("NAME"), isRepeatable: true,
    help: "Ask about an interface too: that it works and has an address.")
  fileprivate static let watch = CommandOption(
    "watch", nil, help: "Go on, with a line for every change, until interrupted.")
  fileprivate static let reachTimeout = CommandOption(
    "timeout", nil, .seconds(), help: "Without --watch: how long names may take. Default: 10.")
  fileprivate static let reachJSON = CommandOption("json", nil, help: "One JSON object for each line.")
}

extension Subcommand {
  /// `afnet reach`: what AFReachability says, once or as it changes.
  static let reach = Subcommand(
    command: Command(
      "reach", "says whether the Internet, a host or an interface can be reached, and over what",
      operands: [Operand("HOST", .any, completion: .hosts)],
      groups: [OptionGroup("Options", [.reachInterface, .watch, .reachTimeout, .reachJSON])],
      examples: [
        Command.Example("afnet reach", "Whether there is a working default route."),
        Command.Example("afnet reach example.org --watch", "A line now, and one whenever that changes."),
      ],
      details: [
        "Says for each HOST (a name or an address) whether a route leads there, and over which interface; without one, whether there is "
          + "a working default route. Nothing is sent to the hosts."
      ],
      exitStatus: "0 everything asked about is reachable, 1 something is not, 2 wrong command line."),
    run: { arguments in
      let request = ReachRequest(arguments)
      return try await request.watches ? request.watch() : request.askOnce()
    })
}

/// What the command line asks for.
private struct ReachRequest: Sendable {
  let targets: [(label: String, target: AFReachabilityTarget)]
  let watches: Bool
  let isJSON: Bool
  let timeout: Double

  init(_ arguments: Arguments) {
    let hosts = arguments.operands.map { (label: $0, target: AFReachabilityTarget.host($0)) }
    let interfaces = arguments.all(.reachInterface).map {
      (label: "interface \($0)", target: AFReachabilityTarget.interface($0))
    }
    targets = hosts.isEmpty && interfaces.isEmpty ? [("general", .general)] : hosts + interfaces
    watches = arguments.has(.watch)
    isJSON = arguments.has(.reachJSON)
    timeout = arguments.seconds(.reachTimeout) ?? 10
  }

  /// The first state of each target.
  func askOnce() async throws(ToolFailure) -> ExitStatus {
    var isAllReachable = true
    for (label, target) in targets {
      let state = await first(of: target)
      try show(label, state)
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
  func watch() async throws(ToolFailure) -> ExitStatus {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (label, target) in targets {
          group.addTask {
            for await state in AFNetworkReachabilityManager(target: target).states() { try show(label, state) }
          }
        }
        try await group.waitForAll()
      }
    } catch {
      throw ErrorReport.failure(error)
    }
    return .success
  }

  private func show(_ label: String, _ state: AFReachabilityState) throws(ToolFailure) {
    let time = Date()
    try Console.print(
      isJSON ? JSONLine.text(ReachLine(time: time, label: label, state: state)) : text(time, label, state))
  }

  private func text(_ time: Date, _ label: String, _ state: AFReachabilityState) -> String {
    var parts = [time.ISO8601Format(), label, ReachWords.verdict(state)]
    for path in state.paths {
      let gateway = path.gateway.map { " through \($0)" } ?? ""
      let source = path.sourceAddress.map { "from \($0)" } ?? ""
      if !(source + gateway).isEmpty { parts.append(source + gateway) }
    }
    if let failure = state.failure { parts.append("\(failure)") }
    return parts.joined(separator: "  ").printable()
  }
}

/// What the tool says in the place of the library's "via WiFi", which stands for every interface that is not a phone's.
enum ReachWords {
  /// "reachable over eth0 (Ethernet)", "not reachable", "unknown".
  static func verdict(_ state: AFReachabilityState) -> String {
    guard state.isReachable else { return state.status == .unknown ? "unknown" : "not reachable" }
    var interfaces: [String] = []
    for path in state.paths {
      let interface = "\(path.interfaceName) (\(name(of: path.interfaceKind)))"
      if !interfaces.contains(interface) { interfaces.append(interface) }
    }
    return interfaces.isEmpty ? "reachable" : "reachable over \(interfaces.joined(separator: " and "))"
  }

  static func name(of kind: AFInterfaceKind) -> String {
    switch kind {
    case .ethernet: "Ethernet"
    case .wifi: "Wi-Fi"
    case .cellular: "cellular"
    case .tunnel: "tunnel"
    case .loopback: "loopback"
    case .other: "other"
    }
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
    status = state.isReachable ? "reachable" : state.status == .unknown ? "unknown" : "not reachable"
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
}
