import AFTestSupport
import CNetlink
import Foundation
import Testing

@testable import AFReachability

@Suite("What an interface is")
struct LinkKindTests {
  private static func link(
    _ name: String, type: Int32 = ARPHRD_ETHER, driver: String? = nil, flags: UInt32 = LinkFlag.up
  ) -> NetworkLink {
    NetworkLink(
      index: 7, name: name, flags: flags, hardwareType: UInt16(type), mtu: 1500, driverKind: driver, group: 0
    )
  }

  @Test(
    "Name, hardware type and driver tell the kind",
    arguments: [
      (link("eth0"), AFInterfaceKind.ethernet), (link("br0", driver: "bridge"), .ethernet),
      (link("lo", type: ARPHRD_LOOPBACK, flags: LinkFlag.loopback), .loopback),
      (link("ppp0", type: ARPHRD_PPP), .cellular), (link("usb0", type: ARPHRD_RAWIP), .cellular),
      (link("wwan0"), .cellular), (link("modem", driver: "wwan"), .cellular), (link("rmnet_data0"), .cellular),
      (link("tun0", type: ARPHRD_NONE, driver: "tun"), .tunnel), (link("wg0", type: ARPHRD_NONE), .tunnel),
      (link("tap0", driver: "tun"), .tunnel), (link("gre1", type: ARPHRD_IPGRE), .tunnel),
      (link("ib0", type: ARPHRD_INFINIBAND), .other),
    ]
  )
  func kinds(link: NetworkLink, kind: AFInterfaceKind) {
    #expect(link.kind == kind)
  }

  @Test("sysfs tells radios, but only of the interface with the same number")
  func sysfs() throws {
    let directory = try TemporaryDirectory()
    for (name, index) in [("wlan0", 7), ("wlan1", 8), ("usb0", 7), ("eth0", 7), ("old0", 7), ("wl0", 7)] {
      let url = directory.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try Data("\(index)\n".utf8).write(to: url.appendingPathComponent("ifindex"))
    }
    for name in ["wlan0/phy80211", "wlan1/phy80211", "old0/wireless"] {
      let wireless = directory.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: wireless, withIntermediateDirectories: true)
    }
    try Data("DEVTYPE=wwan\nINTERFACE=usb0\n".utf8).write(to: directory.url.appendingPathComponent("usb0/uevent"))
    try Data("DEVTYPE=wlan\n".utf8).write(to: directory.url.appendingPathComponent("wl0/uevent"))
    let classifier = LinkClassifier(directory: directory.path, askKernel: { _ in nil })
    #expect(classifier.medium(of: Self.link("old0")) == .wifi)
    #expect(classifier.medium(of: Self.link("wl0")) == .wifi)
    #expect(classifier.medium(of: Self.link("wlan0")) == .wifi)
    #expect(classifier.medium(of: Self.link("wlan1")) == .wired)
    #expect(classifier.medium(of: Self.link("usb0")) == .cellular)
    #expect(classifier.medium(of: Self.link("eth0")) == .wired)
    #expect(classifier.medium(of: Self.link("gone0")) == .wired)
    #expect(classifier.medium(of: Self.link("wlan0", driver: "veth")) == .wired)
  }

  @Test("nl80211 is asked for its number, then about the interface, and believed")
  func nl80211() {
    let requests = Recorder<[UInt8]>()
    let family: UInt16 = 0x1f
    let query = WirelessQuery { request in
      requests.record(request)
      let isAboutFamily = requests.count.isMultiple(of: 2) == false
      return NetlinkRequests.message(isAboutFamily ? UInt16(GENL_ID_CTRL) : family, flags: 0, sequence: 1) { bytes in
        NetlinkRequests.append(genlmsghdr(cmd: 1, version: 1, reserved: 0), to: &bytes)
        NetlinkRequests.append(UInt16(CTRL_ATTR_FAMILY_ID), withUnsafeBytes(of: family) { Array($0) }, to: &bytes)
      }
    }
    #expect(query.isWireless(7) == true)
    #expect(requests.count == 2)
    #expect(requests.first?.contains(Array("nl80211\0".utf8)) == true)
    #expect(requests.last?.suffix(4) == [7, 0, 0, 0])
    let classifier = LinkClassifier(directory: "/nonexistent", askKernel: { $0 == 7 })
    #expect(classifier.medium(of: Self.link("anything")) == .wifi)
  }

  @Test("An interface nl80211 does not know is not wireless; without nl80211 nobody knows; rubbish is no answer")
  func nl80211Refusals() {
    let errorMessage = NetlinkRequests.message(MessageType.error, flags: 0, sequence: 1) { bytes in
      NetlinkRequests.append(nlmsgerr(error: -ENODEV, msg: nlmsghdr()), to: &bytes)
    }
    #expect(WirelessQuery { _ in errorMessage }.isWireless(7) == nil)
    #expect(WirelessQuery { _ in nil }.isWireless(7) == nil)
    #expect(WirelessQuery { _ in [1, 2, 3] }.isWireless(7) == nil)
    let requests = Recorder<Int>()
    let unknown = WirelessQuery { _ in
      requests.record(1)
      guard requests.count == 1 else { return errorMessage }
      return NetlinkRequests.message(UInt16(GENL_ID_CTRL), flags: 0, sequence: 1) { bytes in
        NetlinkRequests.append(genlmsghdr(cmd: 1, version: 1, reserved: 0), to: &bytes)
        NetlinkRequests.append(UInt16(CTRL_ATTR_FAMILY_ID), [0x1f, 0], to: &bytes)
      }
    }
    #expect(unknown.isWireless(7) == false)
  }

  @Test("On this machine the question has an answer, and loopback is not wireless")
  func thisMachine() {
    #expect(WirelessQuery.overSocket()?.isWireless(1) != true)
  }

  @Test(
    "Usable is: up, with a carrier, and not held back by its operational state",
    arguments: [
      (LinkFlag.up | LinkFlag.lowerUp, UInt8(6), true), (LinkFlag.up | LinkFlag.lowerUp, 0, true),
      (LinkFlag.up | LinkFlag.lowerUp, 5, false), (LinkFlag.up | LinkFlag.lowerUp, 2, false),
      (LinkFlag.up, 6, false), (LinkFlag.lowerUp, 6, false), (0, 0, false),
    ]
  )
  func usable(flags: UInt32, state: UInt8, isUsable: Bool) {
    var link = Self.link("eth0", flags: flags)
    link.operationalState = state
    #expect(link.isUsable == isUsable)
  }
}
