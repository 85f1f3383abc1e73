import AFReachability
import AFSupport
import AFTestSupport
import CNetlink
import Foundation

/// Datagrams as the kernel sent them, and the default path after each step of what was done meanwhile.
struct Recording: Sendable {
  var datagrams: [[UInt8]]

  /// Reads base64, one datagram a line.
  init(base64 text: String) {
    datagrams = text.split(separator: "\n").compactMap { Data(base64Encoded: String($0)) }.map(Array.init)
  }

  init(datagrams: [[UInt8]]) {
    self.datagrams = datagrams
  }

  /// What was done while the recordings were made, and the way to everywhere after each step: the interface and the
  /// gateway of IPv4, the interface of IPv6.
  static let steps: [(commands: [String], ways: [String])] = [
    (["link set lo up"], []),
    (["link add v0 type veth peer name v0p", "link set v0 up", "link set v0p up"], []),
    (["addr add 192.0.2.2/24 dev v0", "route add default via 192.0.2.1"], ["v0 192.0.2.1"]),
    (["addr add 2001:db8::2/64 dev v0 nodad", "route add ::/0 via 2001:db8::1"], ["v0 192.0.2.1", "v0 2001:db8::1"]),
    (["link set v0p down"], []),
    (["link set v0p up"], ["v0 192.0.2.1", "v0 2001:db8::1"]),
    (["route del ::/0"], ["v0 192.0.2.1"]),
    (["route replace default via 192.0.2.7"], ["v0 192.0.2.7"]),
    (["rule add unreachable priority 900"], []),
    (["rule del priority 900", "route append default via 192.0.2.9 metric 9 mtu 1300"], ["v0 192.0.2.7"]),
    (["route del default via 192.0.2.7"], ["v0 192.0.2.9"]),
    (["link del v0"], []),
  ]

  /// Records the steps in a namespace that nothing has happened in yet.
  static func make(in namespace: TestNamespace) async throws -> Recording {
    let socket = try await namespace.run {
      Confined(try NetlinkSocket(netlinkProtocol: NETLINK_ROUTE, groups: MulticastGroups.all))
    }
    let recorder = Recorder<[UInt8]>()
    for step in steps {
      try await namespace.ip(lines: step.commands)
      // Carriers come and go a little after the command.
      try await eventually("\(step.ways) after \(step.commands)") {
        try await namespace.run {
          while case .datagram(let count) = try socket.value.receive() {
            recorder.record(Array(socket.value.bytes(count)))
          }
        }
        return try Recording(datagrams: recorder.values).ways().last == step.ways
      }
    }
    return Recording(datagrams: recorder.values)
  }

  /// The default paths as a fresh model sees them, one after another, without repetitions.
  func ways() throws -> [[String]] {
    var model = NetworkModel()
    model.useDefaultRules()
    var ways: [[String]] = [[]]
    for datagram in datagrams {
      for event in try Self.events(in: datagram) {
        _ = model.apply(event)
        let now = model.generalPaths(user: 0).map { "\($0.interfaceName) \($0.gateway ?? "-")" }
        if ways.last != now { ways.append(now) }
      }
    }
    return ways
  }

  /// What a datagram tells; an error as soon as a message breaks the rules.
  static func events(in datagram: some Collection<UInt8>) throws -> [NetworkEvent] {
    var events: [NetworkEvent] = []
    try Array(datagram).withUnsafeBytes { bytes in
      var messages = NetlinkMessages(bytes)
      while let message = try messages.next() {
        if let event = try NetworkEvent(message) { events.append(event) }
      }
    }
    return events
  }
}
