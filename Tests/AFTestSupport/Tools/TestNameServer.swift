import AFSupport
import Foundation

/// A name server in a namespace of its own, for what goes wrong while a name is looked up. Whatever runs in that namespace asks
/// it, at the addresses that `/etc/resolv.conf` names.
package final class TestNameServer: Sendable {
  package enum Answer: Sendable {
    /// 127.0.0.1, and no IPv6 address; after so many seconds.
    case loopback(after: Double = 0)
    /// There is no such name (NXDOMAIN).
    case unknown
    /// Nothing at all.
    case silence
    /// Bytes that are no answer.
    case garbage
  }

  private let descriptor: Int32
  private let threads = ServerThreads()

  /// Answers from here on. `answer` is asked with each name in lower case.
  package init(in namespace: TestNamespace, answer: @escaping @Sendable (_ name: String) -> Answer) async throws {
    try await namespace.ip("link set lo up")
    for address in Self.servers where address != "127.0.0.1" && !address.contains(":") {
      try await namespace.ip("addr add \(address)/32 dev lo")
    }
    descriptor = try await namespace.run {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw POSIXFailure(call: "socket") }
      let any = try SocketAddress(host: "0.0.0.0", port: 53)
      guard any.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw POSIXFailure(call: "bind") }
      return descriptor
    }
    try threads.start { [descriptor] in Self.serve(descriptor, answer) }
  }

  deinit { stop() }

  /// Ends the server and waits for it. May be called more than once.
  package func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    if threads.waitForAll(seconds: 10) { close(descriptor) }
  }

  /// What a program here asks.
  private static var servers: [String] {
    let text = (try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 1 && words[0] == "nameserver" ? String(words[1]) : nil
    }
  }

  private static func serve(_ descriptor: Int32, _ answer: @Sendable (String) -> Answer) {
    var query = [UInt8](repeating: 0, count: 512)
    while true {
      var peer = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &peer) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(descriptor, &query, query.count, 0, $0, &size) }
      }
      guard count > 0 else { return }
      guard let reply = reply(to: Array(query.prefix(count)), answer) else { continue }
      _ = withUnsafePointer(to: peer) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, reply, reply.count, 0, $0, size) }
      }
    }
  }

  /// RFC 1035, section 4: a head of twelve bytes, and the question, which the answer repeats.
  private static func reply(to query: [UInt8], _ answer: @Sendable (String) -> Answer) -> [UInt8]? {
    var labels: [String] = []
    var position = 12
    while position < query.count, query[position] != 0 {
      let end = position + 1 + Int(query[position])
      guard end < query.count else { return nil }
      labels.append(String(decoding: query[(position + 1)..<end], as: UTF8.self))
      position = end
    }
    guard position + 4 < query.count else { return nil }
    let question = Array(query[12...(position + 4)])
    let asksForIPv4 = query[position + 2] == 1
    let head = { (code: UInt8, answers: UInt8) -> [UInt8] in
      [query[0], query[1], 0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0] + question
    }
    switch answer(labels.joined(separator: ".").lowercased()) {
    case .silence: return nil
    case .unknown: return head(3, 0)
    case .garbage: return Array(query.prefix(2)) + [0x81, 0x80, 0xFF, 0xFF, 0xFF]
    case .loopback(let seconds):
      if seconds > 0 { usleep(UInt32(seconds * 1e6)) }
      guard asksForIPv4 else { return head(0, 0) }
      return head(0, 1) + [0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]
    }
  }
}
