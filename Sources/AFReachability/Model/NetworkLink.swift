/// What the kernel says about an interface.
package struct NetworkLink: Hashable, Sendable {
  package let index: Int32
  package var name: String
  package var flags: UInt32
  /// `ARPHRD_…`: what frames on it look like.
  package var hardwareType: UInt16
  /// RFC 2863's ifOperStatus in the kernel's numbering: 0 unknown, 6 up, anything else not to be used.
  package var operationalState: UInt8?
  package var mtu: Int
  /// The driver's kind of a software device ("veth", "bridge", "tun", …); hardware has none.
  package var driverKind: String?
  /// The interface this one is stacked on, or the far end of a pair.
  package var lowerIndex: Int32?
  package var group: UInt32
  /// What the kernel does not say on this socket: whether hardware is a radio.
  package var medium: LinkMedium = .unknown

  package var isUp: Bool { flags & LinkFlag.up != 0 }
  package var isLoopback: Bool { flags & LinkFlag.loopback != 0 }

  /// Whether packets can leave: up by will of the administrator, with a carrier, and not held back by its state.
  package var isUsable: Bool {
    guard isUp, flags & LinkFlag.lowerUp != 0 else { return false }
    return operationalState == nil || operationalState == 0 || operationalState == 6
  }
}

/// The kind of radio behind an interface, if there is one.
package enum LinkMedium: Sendable {
  case unknown
  case wired
  case wifi
  case cellular
}
