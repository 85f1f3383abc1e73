import AFCore
import AFMultipart
import AFReachability
import AFSecurity
import AFSerialization
import Foundation
import Testing

/// The values of AFNetworking 4.0.1's constants, which the comparison of declarations does not see.
@Suite struct ConstantTests {
  @Test func `Constants have AFNetworking's values`() {
    #expect(AFURLRequestSerializationErrorDomain == "com.alamofire.error.serialization.request")
    #expect(AFURLResponseSerializationErrorDomain == "com.alamofire.error.serialization.response")
    #expect(AFNetworkingOperationFailingURLRequestErrorKey == "com.alamofire.serialization.request.error.response")
    #expect(AFNetworkingOperationFailingURLResponseErrorKey == "com.alamofire.serialization.response.error.response")
    #expect(AFNetworkingOperationFailingURLResponseDataErrorKey == "com.alamofire.serialization.response.error.data")
    #expect(AFNetworkingReachabilityNotificationStatusItem == "AFNetworkingReachabilityNotificationStatusItem")
    let task = "com.alamofire.networking.task.complete"
    #expect(AFNetworkingTaskDidCompleteSerializedResponseKey == "\(task).serializedresponse")
    #expect(AFNetworkingTaskDidCompleteResponseSerializerKey == "\(task).responseserializer")
    #expect(AFNetworkingTaskDidCompleteErrorKey == "\(task).error")
    #expect(AFNetworkingTaskDidCompleteAssetPathKey == "\(task).assetpath")
    #expect(
      AFNetworkingTaskDidCompleteResponseDataKey == "com.alamofire.networking.complete.finish.responsedata")
    #expect(
      AFNetworkingTaskDidCompleteSessionTaskMetrics == "com.alamofire.networking.complete.sessiontaskmetrics")
    #expect(kAFUploadStream3GSuggestedPacketSize == 16384)
    #expect(kAFUploadStream3GSuggestedDelay == 0.2)
  }

  @Test func `Notifications have AFNetworking's names`() {
    let names: [(NSNotification.Name, String)] = [
      (.AFNetworkingReachabilityDidChange, "reachability.change"), (.AFNetworkingTaskDidResume, "task.resume"),
      (.AFNetworkingTaskDidSuspend, "task.suspend"), (.AFNetworkingTaskDidComplete, "task.complete"),
      (.AFURLSessionDidInvalidate, "session.invalidate"),
      (.AFURLSessionDownloadTaskDidMoveFileSuccessfully, "session.download.file-manager-succeed"),
      (.AFURLSessionDownloadTaskDidFailToMoveFile, "session.download.file-manager-error"),
    ]
    for (name, text) in names { #expect(name.rawValue == "com.alamofire.networking.\(text)") }
  }

  @Test func `Enumerations have AFNetworking's raw values`() {
    let statuses: [AFNetworkReachabilityStatus] = [.unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi]
    #expect(statuses.map(\.rawValue) == [-1, 0, 1, 2])
    #expect([AFSSLPinningMode.none, .publicKey, .certificate].map(\.rawValue) == [0, 1, 2])
    #expect(AFHTTPRequestQueryStringSerializationStyle.defaultStyle.rawValue == 0)
  }
}
