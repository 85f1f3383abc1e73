import Foundation
package import FoundationNetworking

extension AFHTTPRequestSerializer {
  /// What ``request(withMethod:urlString:parameters:)`` gives, without the detour through Foundation's mutable object; nil if
  /// a subclass of the user's has to be asked.
  package final func plainRequest(
    withMethod method: String, urlString: String, parameters: Any?
  ) throws -> URLRequest? {
    let isOurs =
      type(of: self) == AFHTTPRequestSerializer.self || type(of: self) == AFJSONRequestSerializer.self
      || type(of: self) == AFPropertyListRequestSerializer.self
    guard isOurs else { return nil }
    let bare = try bareRequest(withMethod: method, urlString: urlString)
    var error: NSError?
    guard let request = request(bySerializingRequest: bare, withParameters: parameters, error: &error) else {
      throw error ?? AFURLRequestSerializationError(.unexplained, request: bare)
    }
    if let error { throw error }
    return request
  }
}
