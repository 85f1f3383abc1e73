import Foundation
import FoundationNetworking

/// A request as archives hold it: Foundation's own coding of requests is not there on Linux.
enum ArchivedRequest {
  static func encode(_ request: URLRequest, _ coder: NSCoder) {
    coder.encode(request.url as NSURL?, forKey: "url")
    coder.encode((request.httpMethod ?? "GET") as NSString, forKey: "method")
    coder.encode((request.allHTTPHeaderFields ?? [:]) as NSDictionary, forKey: "headers")
    coder.encode(request.httpBody as NSData?, forKey: "body")
    coder.encode(request.timeoutInterval, forKey: "timeout")
    coder.encode(Int(request.cachePolicy.rawValue), forKey: "cachePolicy")
    coder.encode(request.httpShouldHandleCookies, forKey: "handlesCookies")
  }

  /// Nil if there is none.
  static func decode(_ coder: NSCoder) -> URLRequest? {
    guard let url = coder.decodeObject(of: NSURL.self, forKey: "url") else { return nil }
    var request = URLRequest(url: url as URL)
    request.httpMethod = coder.decodeObject(of: NSString.self, forKey: "method") as String?
    let fields = coder.decodeObject(of: [NSDictionary.self, NSString.self], forKey: "headers") as? NSDictionary
    for case let (name as String, value as String) in fields ?? [:] {
      request.setValue(value, forHTTPHeaderField: name)
    }
    request.httpBody = coder.decodeObject(of: NSData.self, forKey: "body") as Data?
    let timeout = coder.decodeDouble(forKey: "timeout")
    if timeout > 0 { request.timeoutInterval = timeout }
    request.cachePolicy =
      URLRequest.CachePolicy(rawValue: UInt(clamping: coder.decodeInteger(forKey: "cachePolicy")))
      ?? .useProtocolCachePolicy
    request.httpShouldHandleCookies = coder.decodeBool(forKey: "handlesCookies")
    return request
  }
}
