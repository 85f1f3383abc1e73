import Foundation
import FoundationNetworking

/// A request that could not be made, on its way to the operation that will say why.
///
/// The methods that make requests give a request, and cannot throw; subclasses override them. So the error travels with a request that
/// no session can send.
enum FailedRequest {
  private static let key = "com.alamofire.operation.request.error"

  static func make(_ error: any Error) -> NSMutableURLRequest {
    let request = NSMutableURLRequest(url: URL(string: "about:invalid") ?? URL(fileURLWithPath: "/dev/null"))
    URLProtocol.setProperty(error as NSError, forKey: key, in: request)
    return request
  }

  /// Why the request could not be made; nil for one that could.
  static func error(of request: URLRequest) -> (any Error)? {
    guard request.url?.scheme == "about" else { return nil }
    return URLProtocol.property(forKey: key, in: request) as? any Error
  }
}
