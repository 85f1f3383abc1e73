import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFCore

/// The token and its refresh, without a request: who waits, for what, and which token there is afterwards.
@Suite struct BearerCoreTests {
  private typealias Token = AFBearerAuthentication.Token
  private typealias Stamp = BearerCore.Stamp

  private struct Failed: Error {}

  /// A core whose refreshes end when and as the test says.
  private final class Scene: Sendable {
    let begun = Recorder<Token?>()
    let cancelled = Recorder<Int>()
    private let waiting = Locked<[CheckedContinuation<Token, any Error>]>([])
    let now = Locked(Date(timeIntervalSince1970: 1_000_000_000))

    func core(_ token: Token? = .init("old"), leeway: TimeInterval = 0, timeout: TimeInterval = 0) -> BearerCore {
      BearerCore(token: token, leeway: leeway, timeout: timeout, now: { self.now.withLock { $0 } }) { current in
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { continuation in
            self.waiting.withLock { $0.append(continuation) }
            self.begun.record(current)
          }
        } onCancel: {
          self.cancelled.record(1)
        }
      }
    }

    /// The refresh that began first ends.
    func end(_ result: Result<Token, any Error>) throws {
      let continuation = self.waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      try #require(continuation != nil, "no refresh runs")
      continuation?.resume(with: result)
    }
  }

  private func isSend(_ claim: BearerCore.Claim, _ value: String) -> Bool {
    if case .send(let token, _) = claim { token.value == value } else { false }
  }

  private func stamp(_ claim: BearerCore.Claim) throws -> Stamp {
    switch claim {
    case .send(_, let stamp), .wait(let stamp): return stamp
    case .fail(let error): throw error
    }
  }

  @Test func `one refresh for all that wait, told in the order in which they came`() async throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    let told = Recorder<Int>()
    for number in 0..<20 { _ = core.wait(after: used, isRefused: true) { _ in told.record(number) } }
    try await scene.begun.wait(for: 1)
    try scene.end(.success(.init("new")))
    #expect(try await told.wait(for: 20) == Array(0..<20))
    #expect(scene.begun.count == 1 && core.token?.value == "new")
    #expect(isSend(core.claim(refused: used, hasWaited: false), "new"))
  }

  @Test func `a token that is set during a refresh wins, and those that wait go on with it`() async throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    let told = Recorder<Bool>()
    _ = core.wait(after: used, isRefused: true) { result in told.record((try? result.get()) != nil) }
    try await scene.begun.wait(for: 1)
    core.set(.init("app"))
    #expect(core.isReplaced(used))
    try scene.end(.success(.init("refreshed")))
    #expect(try await told.wait(for: 1) == [true])
    #expect(core.token?.value == "app")
  }

  @Test func `a token that is set during a refresh wins also over its failure`() async throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    let told = Recorder<Bool>()
    _ = core.wait(after: used, isRefused: true) { result in told.record((try? result.get()) != nil) }
    try await scene.begun.wait(for: 1)
    core.set(.init("app"))
    try scene.end(.failure(Failed()))
    #expect(try await told.wait(for: 1) == [true])
    #expect(isSend(core.claim(refused: used, hasWaited: false), "app"))
  }

  @Test(arguments: [false, true])
  func `what a refresh that nobody waits for still brings counts for the token that it was begun for`(
    isSetBetween: Bool
  ) async throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    let wait = core.wait(after: used, isRefused: true) { _ in Issue.record("it has given up") }
    try await scene.begun.wait(for: 1)
    wait.cancel()
    try await scene.cancelled.wait(for: 1)
    if isSetBetween { core.set(.init("app")) }
    let told = Recorder<Bool>()
    let next = isSetBetween ? try stamp(core.claim(refused: nil, hasWaited: false)) : used
    _ = core.wait(after: next, isRefused: true) { result in told.record((try? result.get()) != nil) }
    try scene.end(.success(.init("late")))
    if isSetBetween {
      // It was begun for another token, so a second refresh is needed.
      try await scene.begun.wait(for: 2)
      #expect(scene.begun.values[1]?.value == "app")
      try scene.end(.success(.init("second")))
    }
    #expect(try await told.wait(for: 1) == [true])
    #expect(core.token?.value == (isSetBetween ? "second" : "late"))
    #expect(scene.begun.count == (isSetBetween ? 2 : 1))
  }

  @Test func `a refresh goes on as long as one waits for it`() async throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    let told = Recorder<Int>()
    let first = core.wait(after: used, isRefused: true) { _ in told.record(1) }
    _ = core.wait(after: used, isRefused: true) { _ in told.record(2) }
    try await scene.begun.wait(for: 1)
    first.cancel()
    first.cancel()
    try scene.end(.success(.init("new")))
    #expect(try await told.wait(for: 1) == [2])
    #expect(scene.cancelled.count == 0)
  }

  @Test func `waiting with a stamp of before is answered at once`() throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    core.set(.init("app"))
    let told = Recorder<Int>()
    _ = core.wait(after: used, isRefused: true) { _ in told.record(1) }
    #expect(told.count == 1 && scene.begun.count == 0)
  }

  @Test func `a failure is that of all that were sent before it, and the next request tries again`() async throws {
    let scene = Scene()
    let core = scene.core()
    let used = try stamp(core.claim(refused: nil, hasWaited: false))
    let told = Recorder<Bool>()
    _ = core.wait(after: used, isRefused: true) { told.record((try? $0.get()) != nil) }
    try await scene.begun.wait(for: 1)
    try scene.end(.failure(Failed()))
    #expect(try await told.wait(for: 1) == [false])
    // One that was sent with the same token meets the same failure, without another refresh.
    guard case .fail = core.claim(refused: used, hasWaited: false) else {
      Issue.record("its refresh has failed")
      return
    }
    _ = core.wait(after: used, isRefused: true) { told.record((try? $0.get()) != nil) }
    #expect(told.values == [false, false] && scene.begun.count == 1)
    // One that is sent afterwards does not.
    let after = try stamp(core.claim(refused: nil, hasWaited: false))
    #expect(after.epoch > used.epoch)
    guard case .wait = core.claim(refused: after, hasWaited: false) else {
      Issue.record("it was sent after the failure")
      return
    }
    _ = core.wait(after: after, isRefused: true) { told.record((try? $0.get()) != nil) }
    try await scene.begun.wait(for: 2)
    try scene.end(.success(.init("new")))
    #expect(try await told.wait(for: 3).last == true)
  }

  @Test(arguments: [(91, false), (90, true), (89, true), (0, true)] as [(Double, Bool)])
  func `a token is renewed its leeway before it ends, at that moment and later`(left: Double, isDue: Bool) throws {
    let scene = Scene()
    let end = scene.now.withLock { $0 } + left
    let core = scene.core(.init("old", expiration: end), leeway: 90)
    let claim = core.claim(refused: nil, hasWaited: false)
    if isDue {
      guard case .wait = claim else {
        Issue.record("\(left) s are not enough")
        return
      }
    } else {
      #expect(isSend(claim, "old"))
    }
    #expect(isSend(core.claim(refused: nil, hasWaited: true), "old"), "who has waited takes what there is")
  }

  @Test func `a token that ends at this moment is not good any more`() {
    let moment = Date(timeIntervalSince1970: 1000)
    #expect(!Token("a", expiration: moment).isGood(at: moment))
    #expect(Token("a", expiration: moment).isGood(at: moment - 0.001))
    #expect(Token("a").isGood(at: .distantFuture))
  }

  /// RFC 6750 §2.1 has fewer; what breaks no field is let pass.
  @Test(arguments: [
    ("a", true), ("", false), ("a b", false), ("a\n", false), ("ä", false), ("!~", true), ("\u{7F}", false),
  ])
  func `a token is visible ASCII`(value: String, isWellFormed: Bool) {
    #expect(Token(value).isWellFormed == isWellFormed)
  }

  @Test(arguments: [false, true])
  func `a refresh in good time that fails leaves the present token in use, unless a server has refused it`(
    isRefused: Bool
  ) async throws {
    let scene = Scene()
    let end = scene.now.withLock { $0 } + 10
    let core = scene.core(.init("old", expiration: end), leeway: 60)
    let stamp = try stamp(core.claim(refused: nil, hasWaited: false))
    let told = Recorder<Bool>()
    _ = core.wait(after: stamp, isRefused: isRefused) { told.record((try? $0.get()) != nil) }
    try await scene.begun.wait(for: 1)
    try scene.end(.failure(Failed()))
    #expect(try await told.wait(for: 1) == [!isRefused])
  }

  @Test func `a failure is forgotten with the next success`() async throws {
    let scene = Scene()
    let core = scene.core()
    let told = Recorder<Bool>()
    for result in [.failure(Failed()), .success(Token("new")), .failure(Failed())] as [Result<Token, any Error>] {
      let used = try stamp(core.claim(refused: nil, hasWaited: false))
      let count = told.count
      _ = core.wait(after: used, isRefused: true) { told.record((try? $0.get()) != nil) }
      try await scene.begun.wait(for: count + 1)
      try scene.end(result)
      try await told.wait(for: count + 1)
    }
    #expect(told.values == [false, true, false])
  }
}
