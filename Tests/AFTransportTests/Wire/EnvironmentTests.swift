import AFSupport
import AFTestSupport
import AFTransport
import CLinux
import Foundation
import Testing

/// Each in a process of its own, whose environment and files it may bend.
@Suite struct EnvironmentTests {
  @Test func `pitfall 22: neither a proxy nor an exception of the environment counts`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try TestProxy()
      let server = try TestServer { _ in .text("x") }
      setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
      setenv("no_proxy", "*", 1)
      let engine = Engine.forTests()
      guard await engine.run(.get(server.url())).failure == nil, proxy.requests.isEmpty else { exit(2) }
      let route = ProxyRoute.proxy(url: "http://127.0.0.1:\(proxy.port)", user: nil, password: nil)
      let viaProxy = TransferRequest.get(server.url()) { $0.options.proxy = route }
      guard await engine.run(viaProxy).failure == nil, proxy.requests.count == 1 else { exit(3) }
      try server.stop()
      try proxy.stop()
    }
  }

  @Test func `pitfall 2: cancelling in the midst of a name look-up delays nobody`() async {
    await #expect(processExitsWith: .success) {
      // A name server that never answers, for this process alone.
      let silent = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(53).bigEndian
      inet_pton(AF_INET, "127.0.0.77", &address.sin_addr)
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(silent, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let folder = try TemporaryDirectory()
      let file = try folder.write(Data("nameserver 127.0.0.77\noptions timeout:5 attempts:2\n".utf8), to: "resolv.conf")
      guard bound == 0, overlayFile(file.path, "/etc/resolv.conf") else { exit(2) }
      let server = try TestServer { _ in .text("x") }
      let engine = Engine.forTests()
      let lost = TransferProbe()
      let handle = engine.start(TransferRequest(url: "http://slow.example.test/"), handler: lost)
      // Until the question has been asked.
      var question = [UInt8](repeating: 0, count: 512)
      guard recv(silent, &question, question.count, 0) > 0 else { exit(3) }
      let start = MonotonicTime.now
      handle.cancel()
      guard case .cancelled = await lost.outcome().failure?.kind else { exit(4) }
      guard await engine.run(.get(server.url())).failure == nil else { exit(5) }
      // The resolver itself would wait for ten seconds.
      guard MonotonicTime.now - start < 8 else { exit(6) }
      folder.remove()
      exit(0)
    }
  }
}

/// Puts a file in another's place, in a mount namespace that the calling thread and those it starts have to themselves.
private func overlayFile(_ source: String, _ target: String) -> Bool {
  guard af_unshare_mounts() == 0, mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0 else { return false }
  return mount(source, target, nil, UInt(MS_BIND), nil) == 0
}
