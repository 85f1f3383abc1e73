import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking

/// A memory cache of its own, in a directory of its own: without one Foundation's looks into the user's.
final class TestCache: Sendable {
  let directory: TemporaryDirectory
  let cache: URLCache

  init(memory: Int = 8 << 20, disk: Int = 0) throws {
    directory = try TemporaryDirectory()
    cache = URLCache(memoryCapacity: memory, diskCapacity: disk, diskPath: directory.file("cache").path)
  }

  /// The files of kept responses. (While one is being written it has a hidden name.)
  var files: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        at: directory.file("cache"), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    }
  }

  /// A manager that keeps responses here.
  func manager(
    _ server: TestServer, policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> AFHTTPSessionManager {
    let configuration = quietConfiguration()
    configuration.urlCache = cache
    configuration.requestCachePolicy = policy
    change(configuration)
    let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
    manager.completionQueue = DispatchQueue(label: "test.completions")
    let serializer = AFHTTPResponseSerializer()
    serializer.acceptableStatusCodes = nil
    manager.responseSerializer = serializer
    return manager
  }

  func holds(_ url: URL) -> Bool { cache.cachedResponse(for: URLRequest(url: url)) != nil }

  /// Puts something there by hand, dated now.
  func put(_ text: String, _ url: URL, _ fields: [String: String]) throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let fields = fields.merging(["Date": formatter.string(from: Date())]) { given, _ in given }
    guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
    else {
      throw MissingError()
    }
    cache.storeCachedResponse(CachedURLResponse(response: response, data: Data(text.utf8)), for: URLRequest(url: url))
  }
}

extension AFHTTPSessionManager {
  /// The body of a GET.
  func text(_ path: String, policy: URLRequest.CachePolicy? = nil, headers: [String: String] = [:]) async throws
    -> String
  {
    String(decoding: try await response(path, policy: policy, headers: headers).data, as: UTF8.self)
  }

  func response(
    _ path: String, policy: URLRequest.CachePolicy? = nil, headers: [String: String] = [:], method: String = "GET"
  ) async throws -> AFDataResponse {
    var request = URLRequest(url: try url(path))
    request.httpMethod = method
    if let policy { request.cachePolicy = policy }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try await data(for: request)
  }

  /// Whether something is kept for a GET, whatever is still on its way into the cache.
  func keeps(_ path: String) async throws -> Bool {
    do {
      _ = try await response(path, policy: .returnCacheDataDontLoad)
      return true
    } catch let error as AFError where error.urlError?.code == .resourceUnavailable {
      return false
    }
  }

  func url(_ path: String) throws -> URL {
    guard let url = URL(string: path, relativeTo: baseURL)?.absoluteURL else { throw MissingError() }
    return url
  }
}

/// Answers that tell which request they answer: "1", "2", …
final class Numbered: Sendable {
  private let count = Locked(0)

  func next(_ fields: [(String, String)] = [], status: Int = 200) -> TestResponse {
    let number = count.withLock { count in
      count += 1
      return count
    }
    var response = TestResponse.text("\(number)", status: status)
    for (name, value) in fields { response = response.with(name, value) }
    return response
  }
}
