public import AFSerialization

/// What has a response serializer: a manager.
///
/// AFNetworking's HTTP manager declares the property again with a narrower type, which Swift allows only like this.
public protocol AFResponseSerializing: AnyObject {}

extension AFResponseSerializing where Self: AFURLSessionManager {
  /// Makes the results of data and upload tasks from response and body. It is asked when a task ends, on a concurrent queue.
  ///
  /// Default: an `AFJSONResponseSerializer`.
  public var responseSerializer: any AFURLResponseSerialization {
    get { currentResponseSerializer() }
    set { setResponseSerializer(newValue) }
  }
}
