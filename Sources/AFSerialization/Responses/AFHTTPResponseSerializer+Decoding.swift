package import Foundation
package import FoundationNetworking

extension AFHTTPResponseSerializer {
  /// What every serializer that reads a body does: validate, read, and put the errors together.
  ///
  /// A refused content type ends it; so does any refusal if nobody takes the error, since a value alone would look like
  /// success. `read` returns nil for a body that has no value. What it throws gets the refusal underneath, and response and
  /// body with it.
  package func decode(
    _ response: URLResponse?,
    data: Data?,
    error: NSErrorPointer,
    read: (Data) throws -> Any?
  ) -> Any? {
    var refusal: NSError?
    do {
      try validate(response as? HTTPURLResponse, data: data)
    } catch let failure {
      let failure = failure as NSError
      error?.pointee = failure
      if error == nil || failure.refusesContentType { return nil }
      refusal = failure
    }
    guard let data else { return nil }
    do {
      return try read(data)
    } catch let failure {
      var failure = failure
      if let full = failure as? NoRoomForDocument {
        failure = AFURLResponseSerializationError(
          .undecodableBody(problem: full.description), response: response, data: data, cause: full)
      }
      var circumstances: [String: Any] = [AFNetworkingOperationFailingURLResponseDataErrorKey: data]
      circumstances[AFNetworkingOperationFailingURLResponseErrorKey] = response
      circumstances[NSURLErrorFailingURLErrorKey] = response?.url
      error?.pointee = (failure as NSError).withUnderlying(refusal).adding(circumstances)
      return nil
    }
  }
}
