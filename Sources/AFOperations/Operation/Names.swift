public import Foundation

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension NSNotification.Name {
  /// An operation has begun, or goes on after a pause. Object: the operation. Posted on the main queue.
  public static let AFNetworkingOperationDidStart = NSNotification.Name("com.alamofire.networking.operation.start")
  /// An operation has finished, or was paused. Object: the operation. Posted on the main queue.
  public static let AFNetworkingOperationDidFinish = NSNotification.Name("com.alamofire.networking.operation.finish")
}
