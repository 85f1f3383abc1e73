public import Foundation

/// The key under which `NSNotification.Name.AFNetworkingReachabilityDidChange` carries the new status: an
/// `NSNumber` with the raw value of an ``AFNetworkReachabilityStatus``.
public let AFNetworkingReachabilityNotificationStatusItem: String = "AFNetworkingReachabilityNotificationStatusItem"

extension NSNotification.Name {
  /// Posted for the first status after a start and for every change, right after the manager's block has been called
  /// and on the same queue.
  ///
  /// The object is the ``AFNetworkReachabilityManager``; the user info holds the status under
  /// ``AFNetworkingReachabilityNotificationStatusItem``.
  public static let AFNetworkingReachabilityDidChange: NSNotification.Name = NSNotification.Name(
    rawValue: "com.alamofire.networking.reachability.change"
  )
}
