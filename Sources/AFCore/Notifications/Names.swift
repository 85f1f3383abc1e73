public import Foundation

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension NSNotification.Name {
  /// A task that was not running has been resumed. Object: the task. Posted on the main queue.
  public static let AFNetworkingTaskDidResume = NSNotification.Name("com.alamofire.networking.task.resume")
  /// A task is over and its completion handler has run. Object: the task; user info: the six `AFNetworkingTaskDidComplete…`
  /// keys, as far as they apply. Posted on the main queue.
  public static let AFNetworkingTaskDidComplete = NSNotification.Name("com.alamofire.networking.task.complete")
  /// A task that was running has been suspended. Object: the task. Posted on the main queue.
  public static let AFNetworkingTaskDidSuspend = NSNotification.Name("com.alamofire.networking.task.suspend")
  /// A session has become invalid. Object: the session. Posted on the manager's callback queue.
  public static let AFURLSessionDidInvalidate = NSNotification.Name("com.alamofire.networking.session.invalidate")
  /// A download stands at the place that was chosen for it. Object: the task. Posted on the manager's callback queue.
  public static let AFURLSessionDownloadTaskDidMoveFileSuccessfully = NSNotification.Name(
    "com.alamofire.networking.session.download.file-manager-succeed")
  /// A download could not be moved to its place. Object: the task; user info: that of the error. Posted on the manager's
  /// callback queue.
  public static let AFURLSessionDownloadTaskDidFailToMoveFile = NSNotification.Name(
    "com.alamofire.networking.session.download.file-manager-error")
}

/// The key of what the response serializer made of the body (the file's URL for a download); absent if that is nothing.
public let AFNetworkingTaskDidCompleteSerializedResponseKey =
  "com.alamofire.networking.task.complete.serializedresponse"
/// The key of the response serializer; always present.
public let AFNetworkingTaskDidCompleteResponseSerializerKey =
  "com.alamofire.networking.task.complete.responseserializer"
/// The key of the body as `Data`, also when it is empty; absent for a download with a file.
public let AFNetworkingTaskDidCompleteResponseDataKey = "com.alamofire.networking.complete.finish.responsedata"
/// The key of the error, of the transfer or of the serializer.
public let AFNetworkingTaskDidCompleteErrorKey = "com.alamofire.networking.task.complete.error"
/// The key of the URL of a downloaded file.
public let AFNetworkingTaskDidCompleteAssetPathKey = "com.alamofire.networking.task.complete.assetpath"
/// The key of the task's ``AFURLSessionTaskMetrics``.
public let AFNetworkingTaskDidCompleteSessionTaskMetrics = "com.alamofire.networking.complete.sessiontaskmetrics"
