/// The domain of errors about a request that cannot be made of its parameters. Codes are `URLError`'s.
public let AFURLRequestSerializationErrorDomain: String = "com.alamofire.error.serialization.request"

/// The domain of errors about a response that was refused. Codes are `URLError`'s.
public let AFURLResponseSerializationErrorDomain: String = "com.alamofire.error.serialization.response"

/// The `userInfo` key of the `URLRequest` that could not be made, where there is one.
public let AFNetworkingOperationFailingURLRequestErrorKey: String = "com.alamofire.serialization.request.error.response"

/// The `userInfo` key of the `URLResponse` that was refused.
public let AFNetworkingOperationFailingURLResponseErrorKey: String =
  "com.alamofire.serialization.response.error.response"

/// The `userInfo` key of the body, as `Data`, of the response that was refused.
public let AFNetworkingOperationFailingURLResponseDataErrorKey: String =
  "com.alamofire.serialization.response.error.data"
