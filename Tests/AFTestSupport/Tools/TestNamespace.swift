import AFSupport
import Foundation

/// A network of its own: a thread in a private network namespace, in which commands run and monitors are made.
///
/// The namespace goes when the object, its commands and its monitors are gone.
package final class TestNamespace: Sendable {
  private let worker = Worker()

  /// Whether this process may make namespaces. Tests that need one are skipped where it may not.
  package static let isAvailable = (try? TestNamespace()) != nil

  package init() throws {
    guard worker.start(first: Self.enterNewNamespace) else { throw POSIXFailure(call: "unshare") }
  }

  deinit {
    worker.stop()
  }

  private static func enterNewNamespace() -> Bool {
    // Glibc's module leaves unshare(2) out.
    guard let symbol = dlsym(nil, "unshare") else { return false }
    let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
    return unshare(0x4000_0000) == 0  // CLONE_NEWNET
  }

  /// Runs `body` on the namespace's thread and returns what it returns.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      worker.perform { continuation.resume(with: Result(catching: body)) }
    }
  }

  /// The number of the namespace's thread, by which `ip link set … netns` finds the namespace.
  package func threadNumber() async throws -> Int {
    try await run {
      guard let symbol = dlsym(nil, "gettid") else { throw POSIXFailure(call: "dlsym") }
      return Int(unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)())
    }
  }

  /// Runs `ip` once for all `lines`, each without the leading "ip".
  package func ip(_ lines: String...) async throws {
    try await ip(lines: lines)
  }

  package func ip(lines: [String]) async throws {
    let input = lines.joined(separator: "\n") + "\n"
    _ = try await run { try Self.execute(["ip", "-batch", "-"], input: input) }
  }

  /// Runs any command and returns its output.
  @discardableResult
  package func command(_ words: String...) async throws -> String {
    try await run { try Self.execute(words, input: "") }
  }

}

extension TestNamespace {
  /// A link with a working far end, an address, and a default route: what "online" means in these tests.
  package func addUplink(_ name: String = "v0", metric: Int = 0) async throws {
    try await addLink(name)
    try await ip("route add default via 192.0.2.1 dev \(name) metric \(metric)")
  }

  /// A link with a working far end and the address 192.0.2.2/24.
  package func addLink(_ name: String = "v0", address: String = "192.0.2.2/24") async throws {
    try await ip(
      "link add \(name) type veth peer name \(name)p", "link set \(name) up", "link set \(name)p up",
      "addr add \(address) dev \(name)"
    )
  }

  /// IPv6 on a link that exists: address and default route.
  package func addIPv6(_ name: String = "v0") async throws {
    try await ip(
      "addr add 2001:db8::2/64 dev \(name) nodad", "route add ::/0 via 2001:db8::1 dev \(name)"
    )
  }
}

extension TestNamespace {
  /// A command that ended with another status than 0.
  package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String
  }

  @discardableResult
  private static func execute(_ words: [String], input: String) throws -> String {
    let directory = try TemporaryDirectory()
    let source = try directory.write(Data(input.utf8), to: "input").path
    let target = directory.file("output").path
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, source, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, target, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var identifier = pid_t()
    let code = posix_spawnp(&identifier, words[0], &actions, nil, &arguments, environ)
    guard code == 0 else { throw POSIXFailure(call: "spawn", path: words[0], code: code) }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    // Not String(contentsOfFile:), which leaks a buffer for each empty file.
    let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: target)).readAll()
    let output = String(decoding: bytes, as: UTF8.self)
    guard status == 0 else { throw CommandFailure(description: "\(words.joined(separator: " ")): \(input)\(output)") }
    return output
  }
}

/// A thread that runs what it is given, one after another.
private final class Worker: Sendable {
  private let jobs = Locked<[@Sendable () -> Void]>([])
  private let ready = DispatchSemaphore(value: 0)

  /// Starts the thread with `first`, and returns its answer. The thread ends if that is false.
  func start(first: @escaping @Sendable () -> Bool) -> Bool {
    let answers = Recorder<Bool>()
    let done = DispatchSemaphore(value: 0)
    Thread { [self] in
      let isReady = first()
      answers.record(isReady)
      done.signal()
      if isReady { serve() }
    }.start()
    done.wait()
    return answers.last ?? false
  }

  func perform(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    ready.signal()
  }

  func stop() {
    // A signal without a job.
    ready.signal()
  }

  private func serve() {
    while true {
      ready.wait()
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
      job()
    }
  }
}
