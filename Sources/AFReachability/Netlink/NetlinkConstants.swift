import CNetlink
import Glibc

// The kernel's numbers, in the widths in which they travel. Swift sees some as Int, some as Int32, some as enums.

/// Message types.
enum MessageType {
  static let error = UInt16(NLMSG_ERROR)
  static let done = UInt16(NLMSG_DONE)
  static let overrun = UInt16(NLMSG_OVERRUN)
  static let newLink = UInt16(RTM_NEWLINK)
  static let deleteLink = UInt16(RTM_DELLINK)
  static let getLink = UInt16(RTM_GETLINK)
  static let newAddress = UInt16(RTM_NEWADDR)
  static let deleteAddress = UInt16(RTM_DELADDR)
  static let getAddress = UInt16(RTM_GETADDR)
  static let newRoute = UInt16(RTM_NEWROUTE)
  static let deleteRoute = UInt16(RTM_DELROUTE)
  static let getRoute = UInt16(RTM_GETROUTE)
  static let newRule = UInt16(RTM_NEWRULE)
  static let deleteRule = UInt16(RTM_DELRULE)
  static let getRule = UInt16(RTM_GETRULE)
}

/// Flags of a message.
enum MessageFlag {
  static let request = UInt16(NLM_F_REQUEST)
  static let dump = UInt16(NLM_F_DUMP)
  static let dumpInterrupted = UInt16(NLM_F_DUMP_INTR)
  static let replace = UInt16(NLM_F_REPLACE)
}

/// The groups a monitor listens to, as the bits of `nl_groups`.
package enum MulticastGroups {
  package static let all: UInt32 = [
    RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
    RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
  ].reduce(0) { $0 | 1 << (UInt32($1.rawValue) - 1) }
}

/// Attributes of a link.
enum LinkAttribute {
  static let name = UInt16(IFLA_IFNAME)
  static let mtu = UInt16(IFLA_MTU)
  static let lowerLink = UInt16(IFLA_LINK)
  static let lowerNamespace = UInt16(IFLA_LINK_NETNSID)
  static let operationalState = UInt16(IFLA_OPERSTATE)
  static let group = UInt16(IFLA_GROUP)
  static let info = UInt16(IFLA_LINKINFO)
  static let infoKind = UInt16(IFLA_INFO_KIND)
}

/// Attributes of an address.
enum AddressAttribute {
  static let address = UInt16(IFA_ADDRESS)
  static let local = UInt16(IFA_LOCAL)
  static let flags = UInt16(IFA_FLAGS)
}

/// Attributes of a route.
enum RouteAttribute {
  static let destination = UInt16(RTA_DST.rawValue)
  static let source = UInt16(RTA_SRC.rawValue)
  static let outgoingLink = UInt16(RTA_OIF.rawValue)
  static let gateway = UInt16(RTA_GATEWAY.rawValue)
  static let priority = UInt16(RTA_PRIORITY.rawValue)
  static let preferredSource = UInt16(RTA_PREFSRC.rawValue)
  static let metrics = UInt16(RTA_METRICS.rawValue)
  static let multipath = UInt16(RTA_MULTIPATH.rawValue)
  static let table = UInt16(RTA_TABLE.rawValue)
  static let via = UInt16(RTA_VIA.rawValue)
  static let metricMTU = UInt16(RTAX_MTU)
}

/// Attributes of a policy rule.
enum RuleAttribute {
  static let destination = UInt16(FRA_DST)
  static let source = UInt16(FRA_SRC)
  static let incomingInterface = UInt16(FRA_IIFNAME)
  static let gotoTarget = UInt16(FRA_GOTO)
  static let priority = UInt16(FRA_PRIORITY)
  static let mark = UInt16(FRA_FWMARK)
  static let flow = UInt16(FRA_FLOW)
  static let tunnel = UInt16(FRA_TUN_ID)
  static let suppressGroup = UInt16(FRA_SUPPRESS_IFGROUP)
  static let suppressPrefixLength = UInt16(FRA_SUPPRESS_PREFIXLEN)
  static let table = UInt16(FRA_TABLE)
  static let markMask = UInt16(FRA_FWMASK)
  static let outgoingInterface = UInt16(FRA_OIFNAME)
  static let padding = UInt16(FRA_PAD)
  static let masterDevice = UInt16(FRA_L3MDEV)
  static let userRange = UInt16(FRA_UID_RANGE)
  static let routeProtocol = UInt16(FRA_PROTOCOL)
}

/// Flags of a link, `ifi_flags`.
enum LinkFlag {
  static let up = UInt32(1)  // IFF_UP
  static let loopback = UInt32(1 << 3)  // IFF_LOOPBACK
  static let lowerUp = UInt32(1 << 16)  // IFF_LOWER_UP
}
