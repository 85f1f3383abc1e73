internal import AFSupport
internal import Foundation
internal import FoundationNetworking

extension HTTPRequestSettings {
  private enum Key {
    static let stringEncoding = "stringEncoding"
    static let headers = "mutableHTTPRequestHeaders"
    static let methods = "HTTPMethodsEncodingParametersInURI"
    static let arrays = "queryStringArrays"
    static let booleans = "queryStringBooleans"
    static let spaces = "queryStringSpaces"
    static let cellular = "allowsCellularAccess"
    static let cachePolicy = "cachePolicy"
    static let cookies = "HTTPShouldHandleCookies"
    static let pipelining = "HTTPShouldUsePipelining"
    static let serviceType = "networkServiceType"
    static let timeout = "timeoutInterval"
  }

  /// Reads what an archive holds; what it lacks, or has in another form, stays at its default.
  init(coder: NSCoder) {
    if coder.containsValue(forKey: Key.stringEncoding) {
      stringEncoding = UInt(bitPattern: coder.decodeInteger(forKey: Key.stringEncoding))
    }
    if let headers = coder.decodeStrings(forKey: Key.headers), headers.count.isMultiple(of: 2) {
      // Names and values by turns, to keep the order.
      var fields = HTTPHeaderFields()
      for index in stride(from: 0, to: headers.count, by: 2) { fields[headers[index]] = headers[index + 1] }
      setHeaders(fields)
    }
    if let methods = coder.decodeStrings(forKey: Key.methods) {
      methodsEncodingParametersInURI = Set(methods)
    }
    queryStringEncoding.arrays = coder.decodeCase(forKey: Key.arrays) ?? .brackets
    queryStringEncoding.booleans = coder.decodeCase(forKey: Key.booleans) ?? .numeric
    queryStringEncoding.spaces = coder.decodeCase(forKey: Key.spaces) ?? .percentEscaped
    if coder.containsValue(forKey: Key.cellular) {
      options.allowsCellularAccess = coder.decodeBool(forKey: Key.cellular)
    }
    if coder.containsValue(forKey: Key.cachePolicy) {
      let value = coder.decodeInteger(forKey: Key.cachePolicy)
      options.cachePolicy = NSURLRequest.CachePolicy(rawValue: UInt(bitPattern: value))
    }
    if coder.containsValue(forKey: Key.cookies) { options.handlesCookies = coder.decodeBool(forKey: Key.cookies) }
    if coder.containsValue(forKey: Key.pipelining) {
      options.usesPipelining = coder.decodeBool(forKey: Key.pipelining)
    }
    if coder.containsValue(forKey: Key.serviceType) {
      let value = coder.decodeInteger(forKey: Key.serviceType)
      options.networkServiceType = NSURLRequest.NetworkServiceType(rawValue: UInt(bitPattern: value))
    }
    if coder.containsValue(forKey: Key.timeout) {
      options.timeoutInterval = coder.decodeDouble(forKey: Key.timeout)
    }
  }

  func encode(with coder: NSCoder) {
    coder.encode(Int(bitPattern: stringEncoding), forKey: Key.stringEncoding)
    coder.encodeStrings(headers.flatMap { [$0.name, $0.value] }, forKey: Key.headers)
    coder.encodeStrings(methodsEncodingParametersInURI.sorted(), forKey: Key.methods)
    coder.encodeStrings([queryStringEncoding.arrays.rawValue], forKey: Key.arrays)
    coder.encodeStrings([queryStringEncoding.booleans.rawValue], forKey: Key.booleans)
    coder.encodeStrings([queryStringEncoding.spaces.rawValue], forKey: Key.spaces)
    if let value = options.allowsCellularAccess { coder.encode(value, forKey: Key.cellular) }
    if let value = options.cachePolicy { coder.encode(Int(bitPattern: value.rawValue), forKey: Key.cachePolicy) }
    if let value = options.handlesCookies { coder.encode(value, forKey: Key.cookies) }
    if let value = options.usesPipelining { coder.encode(value, forKey: Key.pipelining) }
    if let value = options.networkServiceType { coder.encode(Int(bitPattern: value.rawValue), forKey: Key.serviceType) }
    if let value = options.timeoutInterval { coder.encode(value, forKey: Key.timeout) }
  }
}

extension NSCoder {
  /// Archives a list of texts.
  func encodeStrings(_ strings: [String], forKey key: String) {
    encode(strings.map { $0 as NSString } as NSArray, forKey: key)
  }

  /// A list of texts that was archived under this key, or nil.
  func decodeStrings(forKey key: String) -> [String]? {
    // Foundation's coder takes asking for a value that is not there for damage.
    guard containsValue(forKey: key) else { return nil }
    let list = decodeObject(of: [NSArray.self, NSString.self], forKey: key) as? NSArray
    return list.flatMap { $0.map { $0 } as? [String] }
  }

  /// The case whose raw value was archived under this key as a list of one text.
  func decodeCase<Case: RawRepresentable>(forKey key: String) -> Case? where Case.RawValue == String {
    decodeStrings(forKey: key)?.first.flatMap(Case.init)
  }
}
