import AFCore
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The cache with a server that others wrote: nginx's validators, over HTTP/1.1 and HTTP/2.
@Suite struct CacheNginxTests {
  @Test("nginx confirms a file that has not changed, and sends one that has", arguments: [false, true])
  func files(_ isSecure: Bool) async throws {
    let cache = try TestCache()
    let base = try isSecure ? RealServers.nginxTLS : RealServers.nginx
    let configuration = quietConfiguration()
    configuration.urlCache = cache.cache
    let manager = AFHTTPSessionManager(baseURL: base, sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    if isSecure {
      let policy = AFSecurityPolicy(pinningMode: .none)
      policy.anchorCertificates = try AFCertificate.certificates(
        contentsOf: URL(fileURLWithPath: RealServers.authority))
      policy.usesSystemAnchors = false
      manager.securityPolicy = policy
    }
    let hops = Recorder<[String]>()
    manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
      hops.record(
        (metrics?.transactionMetrics ?? []).map { hop in
          let status = (hop.response as? HTTPURLResponse)?.statusCode ?? 0
          return hop.resourceFetchType == .localCache ? "cache \(status)" : "\(hop.networkProtocolName ?? "") \(status)"
        })
    }
    let name = "cache-\(UUID().uuidString).txt"
    let file = try RealServers.nginxFiles.appendingPathComponent(name)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("first".utf8).write(to: file)
    let path = "files/\(name)"
    let policy = URLRequest.CachePolicy.reloadRevalidatingCacheData
    #expect(try await manager.text(path) == "first")
    #expect(try await manager.text(path, policy: policy) == "first")
    #expect(try await manager.text("gzip/\(name)") == "first")
    #expect(try await manager.text("gzip/\(name)", policy: policy) == "first")
    try Data("second one".utf8).write(to: file)
    #expect(try await manager.text(path, policy: policy) == "second one")
    #expect(try await manager.text(path, policy: .returnCacheDataDontLoad) == "second one")
    try await hops.wait(for: 6)
    let version = isSecure ? "h2" : "http/1.1"
    #expect(
      hops.values == [
        ["\(version) 200"], ["\(version) 304", "cache 200"], ["\(version) 200"], ["\(version) 304", "cache 200"],
        ["\(version) 200"], ["cache 200"],
      ])
  }
}
