import Foundation
import Testing

@testable import AFTransport

@Suite struct StreamSinkTests {
  @Test func `F47: a reader that stays one block behind leaves no list as long as the body`() async throws {
    let sink = StreamSink()
    let block = Data(count: 64 << 10)
    _ = block.withUnsafeBytes { sink.receive($0) }
    for _ in 0..<2000 {
      _ = block.withUnsafeBytes { sink.receive($0) }
      #expect(try await sink.next()?.count == 64 << 10)
    }
    #expect(sink.listLength < 100)
  }

  @Test func `F47: of two readers that wait at once the second is told so, and the first goes on`() async throws {
    let sink = StreamSink()
    let first = Task { try await sink.next() }
    // The second may come before the first; one of the two waits, and the other is refused.
    let second = Task { try await sink.next() }
    var refusals = 0
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for reader in [first, second] {
        group.addTask {
          do { return try await reader.value == Data("x".utf8) } catch is StreamSink.ReadTwice { return false }
        }
      }
      guard let isFirst = try await group.next() else { return }
      if !isFirst { refusals += 1 }
      _ = Array("x".utf8).withUnsafeBytes { sink.receive($0) }
      if try await group.next() == false { refusals += 1 }
    }
    #expect(refusals == 1)
  }
}
