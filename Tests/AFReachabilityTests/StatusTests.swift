import AFReachability
import Foundation
import Testing

@Suite("Statuses, names and strings")
struct StatusTests {
  @Test(
    "AF-X063: each status has AFNetworking's raw value and text",
    arguments: [
      (AFNetworkReachabilityStatus.unknown, -1, "Unknown"),
      (.notReachable, 0, "Not Reachable"),
      (.reachableViaWWAN, 1, "Reachable via WWAN"),
      (.reachableViaWiFi, 2, "Reachable via WiFi"),
    ]
  )
  func rawValuesAndTexts(status: AFNetworkReachabilityStatus, raw: Int, text: String) {
    #expect(status.rawValue == raw)
    #expect(AFStringFromNetworkReachabilityStatus(status) == text)
    #expect(AFNetworkReachabilityStatus(rawValue: raw) == status)
  }

  @Test("AF-X063: an unrecognised raw value is no status")
  func unrecognisedRawValue() {
    #expect(AFNetworkReachabilityStatus(rawValue: 7) == nil)
  }

  @Test("The notification's name and key are AFNetworking's")
  func notificationNames() {
    #expect(
      NSNotification.Name.AFNetworkingReachabilityDidChange.rawValue == "com.alamofire.networking.reachability.change"
    )
    #expect(AFNetworkingReachabilityNotificationStatusItem == "AFNetworkingReachabilityNotificationStatusItem")
  }

  @Test("AF-T113: a manager for an address starts unknown, and is not reachable")
  func addressStartsUnknown() {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let manager = AFNetworkReachabilityManager(forAddress: &address)
    #expect(manager.networkReachabilityStatus == .unknown)
    #expect(!manager.isReachable && !manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
    #expect(manager.target == .host("127.0.0.1"))
  }

  @Test("AF-T114: a manager for a domain starts unknown")
  func domainStartsUnknown() {
    let manager = AFNetworkReachabilityManager(forDomain: "localhost")
    #expect(manager.networkReachabilityStatus == .unknown)
    #expect(manager.localizedNetworkReachabilityStatusString() == "Unknown")
  }

  @Test("The shared manager is one, for general connectivity, and starts unknown")
  func sharedManager() {
    let manager = AFNetworkReachabilityManager.shared()
    #expect(manager === AFNetworkReachabilityManager.shared())
    #expect(manager.target == .general)
  }

  @Test("The zero address stands for general connectivity, in both families")
  func zeroAddress() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    #expect(AFNetworkReachabilityManager(forAddress: &four).target == .general)
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    #expect(AFNetworkReachabilityManager(forAddress: &six).target == .general)
  }

  @Test("An IPv6 address keeps its scope")
  func scopedAddress() {
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_scope_id = 3
    withUnsafeMutableBytes(of: &six.sin6_addr) { bytes in
      bytes[0] = 0xfe
      bytes[1] = 0x80
      bytes[15] = 1
    }
    #expect(AFNetworkReachabilityManager(forAddress: &six).target == .host("fe80::1%3"))
  }
}
