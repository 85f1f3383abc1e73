import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFTransport

/// Memory that ends: a transfer gives the whole body or an error, and the next one is served. Each in a process of its own.
@Suite struct LowMemoryTests {
  private static let count = 8 << 20

  enum Way: String, CaseIterable, Codable, Sendable { case memory, packed, stream, file }

  /// In the same process, so what it sends is small or made piece by piece.
  private static func server() throws -> TestServer {
    guard let packed = gzip(Data(count: count)) else { throw CocoaError(.featureUnsupported) }
    return try TestServer { request in
      switch request.path {
      case "/packed": .data(packed).with("Content-Encoding", "gzip")
      case "/small": .text("x")
      default: .pattern(Int64(count))
      }
    }
  }

  /// Runs a transfer to its end. What is returned tells the digest of what came; nil: the transfer failed.
  private static func run(_ way: Way, _ engine: Engine, _ server: TestServer, _ folder: TemporaryDirectory) async
    -> (() throws -> String)?
  {
    switch way {
    case .memory, .packed:
      let outcome = await engine.run(.get(server.url(way.rawValue)))
      guard outcome.failure == nil, let body = outcome.body else { return nil }
      return { TestDigest.sha256(body) }
    case .stream:
      guard let digest = try? await engine.read(server.url("stream")).digest else { return nil }
      return { digest }
    case .file:
      let path = folder.file(UUID().uuidString).path
      let sink = FileSink(descriptor: open(path, O_RDWR | O_CREAT, 0o600), path: path)
      let probe = TransferProbe { _ in .sink(sink) }
      let handle = engine.launch(.get(server.url("file")), probe)
      sink.connect(onRoom: { handle.resumeReceiving() }, onFailure: { _ in handle.cancel() })
      let outcome = await probe.outcome()
      let isWritten = await withCheckedContinuation { continuation in
        sink.finish { continuation.resume(returning: (try? $0.get()) != nil) }
      }
      return outcome.failure == nil && isWritten ? { try TestDigest.sha256(ofFile: path) } : nil
    }
  }

  @Test(.enabled(if: FailingMemory.isPreloaded, "Scripts/test preloads what is needed"), arguments: Way.allCases)
  func `an allocator that refuses any one large request makes an error, and the next transfer is served`(
    _ way: Way
  ) async {
    await #expect(processExitsWith: .success) { [way] in
      let server = try LowMemoryTests.server()
      let engine = Engine.forTests()
      let folder = try TemporaryDirectory()
      let count = LowMemoryTests.count
      let whole = way == .packed ? TestDigest.sha256(Data(count: count)) : TestPattern.sha256(count: Int64(count))
      guard try await LowMemoryTests.run(way, engine, server, folder)?() == whole else { exit(10) }
      // The first, the second, … and at last all of them.
      var number = 1
      while number >= 0 {
        let failing = number
        let read = await FailingMemory.run(failing: failing, from: 256 << 10) {
          await LowMemoryTests.run(way, engine, server, folder)
        }
        let digest = try read?()
        guard digest == nil || digest == whole else { exit(11) }
        guard FailingMemory.counted >= failing || digest == whole else { exit(12) }
        guard await engine.run(.get(server.url("small"))).body == Data("x".utf8) else { exit(13) }
        number = failing == 0 ? -1 : FailingMemory.counted < failing || failing == 50 ? 0 : failing + 1
      }
      folder.remove()
      exit(0)
    }
  }
}
