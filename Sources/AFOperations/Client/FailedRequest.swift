import Foundation
import FoundationNetworking

/// A request that could not be made, on its way to the operation that will say why.
///
/// The methods that make requests give a request, and cannot throw; subclasses override them. So the error travels with a request that
/// no session can send.
enum FailedRequest {
  /// An empty stream that carries the error: what a request keeps through every copy and bridge.
  private final class Reason: InputStream {
    let error: any Error

    init(_ error: any Error) {
      self.error = error
      super.init(data: Data())
    }
  }

  static func make(_ error: any Error) -> NSMutableURLRequest {
    let request = NSMutableURLRequest(url: URL(string: "about:invalid") ?? URL(fileURLWithPath: "/dev/null"))
    request.httpBodyStream = Reason(error)
    return request
  }

  /// Why the request could not be made; nil for one that could.
  static func error(of request: URLRequest) -> (any Error)? {
    (request.httpBodyStream as? Reason)?.error
  }
}
