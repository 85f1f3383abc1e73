import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Posts a notification about the task, if it is one that posts any.
  func announce(_ name: NSNotification.Name) {
    guard state.withLock({ $0.options.announces }) else { return }
    NotificationRelay.shared.post(name, object: shell)
  }
}

extension TaskResult {
  /// Posts that the task is over.
  func announceCompletion(_ serializer: any AFURLResponseSerialization, object: Any?, error: (any Error)?) {
    guard task.state.withLock({ $0.options.announces }) else { return }
    var info: [AnyHashable: Any] = [AFNetworkingTaskDidCompleteResponseSerializerKey: serializer]
    if let fileURL {
      info[AFNetworkingTaskDidCompleteAssetPathKey] = fileURL
    } else {
      info[AFNetworkingTaskDidCompleteResponseDataKey] = data ?? Data()
    }
    if let object { info[AFNetworkingTaskDidCompleteSerializedResponseKey] = object }
    if let error { info[AFNetworkingTaskDidCompleteErrorKey] = error as NSError }
    if let metrics = task.metrics { info[AFNetworkingTaskDidCompleteSessionTaskMetrics] = metrics }
    NotificationRelay.shared.post(.AFNetworkingTaskDidComplete, object: shell ?? task.shell, userInfo: info)
  }
}
