import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// `HTTPCookieStorage.shared` in several processes at once, as "Cookies" in DocC promises.
@Suite struct CookieProcessTests {
  /// How many cookies each process is given.
  private static let count = 8

  @Test func `Two processes with one file take no cookie from each other, and leave a file that is sound`() async throws
  {
    let directory = try TemporaryDirectory()
    setenv("AF_COOKIE_HOME", directory.url.path, 1)
    defer { unsetenv("AF_COOKIE_HOME") }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await Self.use(isFirst: true) }
      group.addTask { await Self.use(isFirst: false) }
    }
    await #expect(processExitsWith: .success) {
      let names = CookieProcessTests.takeStorage().cookies?.map(\.name) ?? []
      let ours = ["a", "b"].map { prefix in names.filter { $0.hasPrefix(prefix) }.count }
      // All of the one that wrote last.
      guard ours.contains(CookieProcessTests.count) else { exit(2) }
    }
  }

  private static func use(isFirst: Bool) async {
    if isFirst {
      await #expect(processExitsWith: .success) { try await CookieProcessTests.collect("a") }
    } else {
      await #expect(processExitsWith: .success) { try await CookieProcessTests.collect("b") }
    }
  }

  /// The shared storage, with its file where the parent says. In a child process.
  private static func takeStorage() -> HTTPCookieStorage {
    let home = ProcessInfo.processInfo.environment["AF_COOKIE_HOME"] ?? "/nowhere"
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] { setenv(name, home, 1) }
    return .shared
  }

  private static func collect(_ prefix: String) async throws {
    let storage = takeStorage()
    let server = try TestServer { request in
      .text(request.value("Cookie") ?? "").with("Set-Cookie", "\(request.path.dropFirst())=1; Max-Age=3600; Path=/")
    }
    let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: .default)
    manager.responseSerializer = AFHTTPResponseSerializer()
    for index in 0..<count {
      _ = try await manager.get("\(prefix)\(index)")
      // Whatever another process has written meanwhile.
      let kept = storage.cookies?.filter { $0.name.hasPrefix(prefix) }.count
      guard kept == index + 1 else { exit(3) }
    }
    let sent = String(decoding: try await manager.get("\(prefix)0").data, as: UTF8.self)
    guard (0..<count).allSatisfy({ sent.contains("\(prefix)\($0)=1") }) else { exit(4) }
    try server.stop()
  }
}
