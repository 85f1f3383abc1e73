import Foundation
import FoundationNetworking

/// A session configuration in an archive. Foundation's own cannot be archived on Linux, so the values that have a meaning
/// here are.
enum ArchivedConfiguration {
  private static let prefix = "sessionConfiguration."

  static func encode(_ configuration: URLSessionConfiguration, _ coder: NSCoder) {
    coder.encode(configuration.timeoutIntervalForRequest, forKey: prefix + "timeoutIntervalForRequest")
    coder.encode(configuration.timeoutIntervalForResource, forKey: prefix + "timeoutIntervalForResource")
    coder.encode(configuration.httpMaximumConnectionsPerHost, forKey: prefix + "httpMaximumConnectionsPerHost")
    coder.encode(Int(configuration.requestCachePolicy.rawValue), forKey: prefix + "requestCachePolicy")
    coder.encode(Int(configuration.httpCookieAcceptPolicy.rawValue), forKey: prefix + "httpCookieAcceptPolicy")
    coder.encode(configuration.httpShouldSetCookies, forKey: prefix + "httpShouldSetCookies")
    coder.encode(configuration.httpCookieStorage != nil, forKey: prefix + "hasCookieStorage")
    coder.encode(configuration.urlCredentialStorage != nil, forKey: prefix + "hasCredentialStorage")
    coder.encode(configuration.urlCache != nil, forKey: prefix + "hasCache")
    let headers = (configuration.httpAdditionalHeaders ?? [:]).compactMap { key, value in
      (key as? String).map { ($0, String(describing: value)) }
    }.sorted { $0.0 < $1.0 }
    coder.encode(headers.map(\.0) as NSArray, forKey: prefix + "headerNames")
    coder.encode(headers.map(\.1) as NSArray, forKey: prefix + "headerValues")
  }

  static func decode(_ coder: NSCoder) -> URLSessionConfiguration? {
    guard coder.containsValue(forKey: prefix + "timeoutIntervalForRequest") else { return nil }
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = coder.decodeDouble(forKey: prefix + "timeoutIntervalForRequest")
    configuration.timeoutIntervalForResource = coder.decodeDouble(forKey: prefix + "timeoutIntervalForResource")
    configuration.httpMaximumConnectionsPerHost = coder.decodeInteger(forKey: prefix + "httpMaximumConnectionsPerHost")
    let cachePolicy = coder.decodeInteger(forKey: prefix + "requestCachePolicy")
    configuration.requestCachePolicy =
      URLRequest.CachePolicy(rawValue: UInt(bitPattern: cachePolicy)) ?? .useProtocolCachePolicy
    let acceptPolicy = coder.decodeInteger(forKey: prefix + "httpCookieAcceptPolicy")
    configuration.httpCookieAcceptPolicy =
      HTTPCookie.AcceptPolicy(rawValue: UInt(bitPattern: acceptPolicy)) ?? .onlyFromMainDocumentDomain
    configuration.httpShouldSetCookies = coder.decodeBool(forKey: prefix + "httpShouldSetCookies")
    if !coder.decodeBool(forKey: prefix + "hasCookieStorage") { configuration.httpCookieStorage = nil }
    if !coder.decodeBool(forKey: prefix + "hasCredentialStorage") { configuration.urlCredentialStorage = nil }
    if !coder.decodeBool(forKey: prefix + "hasCache") { configuration.urlCache = nil }
    let classes: [AnyClass] = [NSArray.self, NSString.self]
    guard coder.containsValue(forKey: prefix + "headerNames"), coder.containsValue(forKey: prefix + "headerValues")
    else {
      return configuration
    }
    let names = coder.decodeObject(of: classes, forKey: prefix + "headerNames") as? [String] ?? []
    let values = coder.decodeObject(of: classes, forKey: prefix + "headerValues") as? [String] ?? []
    if !names.isEmpty { configuration.httpAdditionalHeaders = Dictionary(zip(names, values)) { $1 } }
    return configuration
  }
}
