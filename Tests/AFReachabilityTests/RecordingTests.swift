import AFReachability
import AFTestSupport
import Foundation
import Testing

@Suite("Recorded messages")
struct RecordingTests {
  static let recording = Recording(base64: Recording.linux6)

  /// The ways that the steps lead through, without repetitions.
  static var expectedWays: [[String]] {
    Recording.steps.map(\.ways).reduce(into: [[]]) { if $0.last != $1 { $0.append($1) } }
  }

  @Test("Replayed, they give the ways that were there when they were made")
  func replay() throws {
    // Each family is told by itself, so steps that touch both pass through a way with one of them.
    let ways = try Self.recording.ways()
    #expect(Self.isSubsequence(Self.expectedWays, of: ways))
    #expect(ways.count <= Self.expectedWays.count + 3)
  }

  @Test("What the kernel of this machine sends gives them too", .enabled(if: TestNamespace.isAvailable))
  func live() async throws {
    let recording = try await Recording.make(in: TestNamespace())
    if let path = ProcessInfo.processInfo.environment["AF_WRITE_RECORDING"] {
      let lines = recording.datagrams.map { Data($0).base64EncodedString() }.joined(separator: "\n")
      try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
    }
    #expect(Self.isSubsequence(Self.expectedWays, of: try recording.ways()))
  }

  @Test("Cut off at any byte, a datagram tells an error, or just the messages before the cut")
  func truncation() throws {
    var cuts = 0
    for datagram in Self.recording.datagrams {
      let whole = try Recording.events(in: datagram)
      for count in 0..<datagram.count {
        cuts += 1
        guard let events = try? Recording.events(in: datagram[..<count]) else { continue }
        #expect(events.count < max(1, whole.count) && Array(whole.prefix(events.count)) == events)
      }
    }
    #expect(cuts > 5_000)
  }

  @Test("Cut off inside a message, with the length made to fit, attributes do not reach past the end")
  func truncatedWithFittingLength() throws {
    for datagram in Self.recording.datagrams {
      for count in 16..<datagram.count {
        var bytes = Array(datagram[..<count])
        withUnsafeBytes(of: UInt32(count).littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
        _ = try? Recording.events(in: bytes)
      }
    }
  }

  @Test("Broken at random, they crash nothing, and a model stays one that can be asked", arguments: 1...4)
  func mutation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var model = NetworkModel()
    model.useDefaultRules()
    var accepted = 0
    for _ in 0..<5_000 {
      guard var bytes = Self.recording.datagrams.randomElement(using: &random) else { return }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let events = try? Recording.events(in: bytes) else { continue }
      for event in events {
        accepted += 1
        _ = model.apply(event)
      }
    }
    for path in model.generalPaths(user: 0) {
      let link = try #require(model.links[Int32(path.interfaceIndex)])
      #expect(link.isUsable && !link.isLoopback && path.sourceAddress != nil)
    }
    #expect(accepted > 0)
  }

  private static func isSubsequence(_ short: [[String]], of long: [[String]]) -> Bool {
    var rest = long[...]
    for element in short {
      guard let index = rest.firstIndex(of: element) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }
}
