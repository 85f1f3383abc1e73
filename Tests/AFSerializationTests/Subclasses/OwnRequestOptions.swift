import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

/// Subclasses that override every option, note which of them they were asked for, and have stored none.
protocol AskedRecorder: AnyObject {
  var asked: Locked<Set<String>> { get }
}

extension AskedRecorder {
  func noting<Value>(_ name: String, _ value: Value) -> Value {
    asked.withLock { _ = $0.insert(name) }
    return value
  }

  var names: Set<String> { asked.withLock { $0 } }
}

private var sorted: JSONEncoder {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  encoder.keyEncodingStrategy = .convertToSnakeCase
  return encoder
}

private var binary: PropertyListEncoder {
  let encoder = PropertyListEncoder()
  encoder.outputFormat = .binary
  return encoder
}

final class OwnForms: AFHTTPRequestSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var httpRequestHeaders: [String: String] { noting("httpRequestHeaders", ["X-Own": "1"]) }

  override var stringEncoding: UInt {
    get { noting("stringEncoding", String.Encoding.utf16LittleEndian.rawValue) }
    set {}
  }

  override var allowsCellularAccess: Bool {
    get { noting("allowsCellularAccess", false) }
    set {}
  }

  override var cachePolicy: NSURLRequest.CachePolicy {
    get { noting("cachePolicy", .returnCacheDataDontLoad) }
    set {}
  }

  override var httpShouldHandleCookies: Bool {
    get { noting("httpShouldHandleCookies", false) }
    set {}
  }

  override var httpShouldUsePipelining: Bool {
    get { noting("httpShouldUsePipelining", true) }
    set {}
  }

  override var networkServiceType: NSURLRequest.NetworkServiceType {
    get { noting("networkServiceType", .background) }
    set {}
  }

  override var timeoutInterval: TimeInterval {
    get { noting("timeoutInterval", 7) }
    set {}
  }

  override var httpMethodsEncodingParametersInURI: Set<String> {
    get { noting("httpMethodsEncodingParametersInURI", ["PURGE"]) }
    set {}
  }

  override var queryStringEncoding: AFQueryStringEncoding {
    get { noting("queryStringEncoding", AFQueryStringEncoding(spaces: .plus)) }
    set {}
  }

  override var encoder: JSONEncoder {
    get { noting("encoder", sorted) }
    set {}
  }
}

final class OwnJSON: AFJSONRequestSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var httpRequestHeaders: [String: String] { noting("httpRequestHeaders", ["X-Own": "1"]) }

  override var stringEncoding: UInt {
    get { noting("stringEncoding", String.Encoding.utf16LittleEndian.rawValue) }
    set {}
  }

  override var allowsCellularAccess: Bool {
    get { noting("allowsCellularAccess", false) }
    set {}
  }

  override var cachePolicy: NSURLRequest.CachePolicy {
    get { noting("cachePolicy", .returnCacheDataDontLoad) }
    set {}
  }

  override var httpShouldHandleCookies: Bool {
    get { noting("httpShouldHandleCookies", false) }
    set {}
  }

  override var httpShouldUsePipelining: Bool {
    get { noting("httpShouldUsePipelining", true) }
    set {}
  }

  override var networkServiceType: NSURLRequest.NetworkServiceType {
    get { noting("networkServiceType", .background) }
    set {}
  }

  override var timeoutInterval: TimeInterval {
    get { noting("timeoutInterval", 7) }
    set {}
  }

  override var httpMethodsEncodingParametersInURI: Set<String> {
    get { noting("httpMethodsEncodingParametersInURI", ["PURGE"]) }
    set {}
  }

  override var queryStringEncoding: AFQueryStringEncoding {
    get { noting("queryStringEncoding", AFQueryStringEncoding(spaces: .plus)) }
    set {}
  }

  override var encoder: JSONEncoder {
    get { noting("encoder", sorted) }
    set {}
  }

  override var writingOptions: JSONSerialization.WritingOptions {
    get { noting("writingOptions", .sortedKeys) }
    set {}
  }
}

final class OwnPropertyLists: AFPropertyListRequestSerializer, AskedRecorder, @unchecked Sendable {
  // Unchecked because the base class is; the lock is all it stores.
  let asked = Locked(Set<String>())

  override var httpRequestHeaders: [String: String] { noting("httpRequestHeaders", ["X-Own": "1"]) }

  override var stringEncoding: UInt {
    get { noting("stringEncoding", String.Encoding.utf16LittleEndian.rawValue) }
    set {}
  }

  override var allowsCellularAccess: Bool {
    get { noting("allowsCellularAccess", false) }
    set {}
  }

  override var cachePolicy: NSURLRequest.CachePolicy {
    get { noting("cachePolicy", .returnCacheDataDontLoad) }
    set {}
  }

  override var httpShouldHandleCookies: Bool {
    get { noting("httpShouldHandleCookies", false) }
    set {}
  }

  override var httpShouldUsePipelining: Bool {
    get { noting("httpShouldUsePipelining", true) }
    set {}
  }

  override var networkServiceType: NSURLRequest.NetworkServiceType {
    get { noting("networkServiceType", .background) }
    set {}
  }

  override var timeoutInterval: TimeInterval {
    get { noting("timeoutInterval", 7) }
    set {}
  }

  override var httpMethodsEncodingParametersInURI: Set<String> {
    get { noting("httpMethodsEncodingParametersInURI", ["PURGE"]) }
    set {}
  }

  override var queryStringEncoding: AFQueryStringEncoding {
    get { noting("queryStringEncoding", AFQueryStringEncoding(spaces: .plus)) }
    set {}
  }

  override var encoder: JSONEncoder {
    get { noting("encoder", sorted) }
    set {}
  }

  override var format: PropertyListSerialization.PropertyListFormat {
    get { noting("format", .binary) }
    set {}
  }

  override var writeOptions: PropertyListSerialization.WriteOptions {
    get { noting("writeOptions", 0) }
    set {}
  }

  override var propertyListEncoder: PropertyListEncoder {
    get { noting("propertyListEncoder", binary) }
    set {}
  }
}
