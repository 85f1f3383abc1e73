import AFCore
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import Testing

/// Archives that hold something else than ours do: nil or an object, never the end of the process.
@Suite struct HostileArchiveTests {
  private static let keys = [
    "acceptableStatusCodes", "acceptableContentTypes", "stringEncoding", "readingOptions",
    "removesKeysWithNullValues", "format", "readOptions", "options", "responseSerializers",
    "mutableHTTPRequestHeaders", "queryStringSerializationStyle", "timeoutInterval", "cachePolicy",
    "networkServiceType", "writingOptions", "writeOptions", "SSLPinningMode", "allowInvalidCertificates",
    "validatesDomainName", "pinnedCertificates", "AFSecurityPolicyFurtherSettings", "baseURL", "securityPolicy",
    "requestSerializer", "responseSerializer", "sessionConfiguration.timeoutIntervalForRequest",
    "sessionConfiguration.headerNames", "sessionConfiguration.headerValues",
  ]

  private static var values: [NSObject] {
    [
      NSString("x"), NSNumber(value: -1), NSNumber(value: 1e300), NSNumber(value: Double.nan),
      NSArray(array: [NSString("a"), NSNumber(value: 1)]), NSData(), NSDate(), NSNull(),
      NSDictionary(dictionary: ["a": NSNumber(value: 1)]), NSSet(array: [NSNumber(value: 1)]),
    ]
  }

  private static func readAll(_ data: Data) throws {
    func coder() throws -> NSKeyedUnarchiver {
      let coder = try NSKeyedUnarchiver(forReadingFrom: data)
      coder.decodingFailurePolicy = .setErrorAndReturn
      return coder
    }
    _ = AFJSONResponseSerializer(coder: try coder())
    _ = AFPropertyListResponseSerializer(coder: try coder())
    _ = AFXMLDocumentResponseSerializer(coder: try coder())
    _ = AFCompoundResponseSerializer(coder: try coder())
    _ = AFJSONRequestSerializer(coder: try coder())
    _ = AFPropertyListRequestSerializer(coder: try coder())
    _ = AFSecurityPolicy(coder: try coder())
    _ = AFHTTPSessionManager(coder: try coder())
  }

  @Test func `values of another type under every key`() async {
    await #expect(processExitsWith: .success) {
      await Task.yield()
      for value in HostileArchiveTests.values {
        for keys in HostileArchiveTests.keys.map({ [$0] }) + [HostileArchiveTests.keys] {
          let archiver = NSKeyedArchiver(requiringSecureCoding: false)
          for key in keys { archiver.encode(value, forKey: key) }
          try HostileArchiveTests.readAll(archiver.encodedData)
        }
      }
      exit(0)
    }
  }

  @Test(arguments: [Int.min, -5, -1, 0, 5, .max]) func `numbers that no configuration has`(_ value: Int) async {
    await #expect(processExitsWith: .success) { [value = value as Int] in
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      let numbers = ["requestCachePolicy", "httpCookieAcceptPolicy", "httpMaximumConnectionsPerHost"]
      for key in numbers { archiver.encode(value, forKey: "sessionConfiguration.\(key)") }
      let seconds = [Double.nan, .infinity, -1e300, Double(value)]
      for (key, second) in zip(["timeoutIntervalForRequest", "timeoutIntervalForResource"], seconds.shuffled()) {
        archiver.encode(second, forKey: "sessionConfiguration.\(key)")
      }
      archiver.encode(value, forKey: "cachePolicy")
      // The policy of a coder that nothing else is said to: an archive without a key is no failure.
      let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      guard let manager = AFHTTPSessionManager(coder: coder) else { exit(2) }
      manager.completionQueue = DispatchQueue(label: "test.completions")
      _ = try? await manager.get("http://127.0.0.1:1/")
      exit(0)
    }
  }

  @Test func `a manager without a base URL is read back, however strict the coder is`() async {
    await #expect(processExitsWith: .success) {
      await Task.yield()
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      AFHTTPSessionManager().encode(with: archiver)
      let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      guard let manager = AFHTTPSessionManager(coder: coder), manager.baseURL == nil else { exit(2) }
      exit(0)
    }
  }
}
