import AFSupport
import AFTestSupport
import AFTransport
import Foundation

extension Engine {
  /// Reads a whole body through a stream sink, as an asynchronous reader does; rests for `pause` after each block.
  func read(_ url: URL, pause: Duration? = nil) async throws -> (count: Int, digest: String) {
    let sink = StreamSink()
    let probe = TransferProbe { _ in .sink(sink) }
    let handle = launch(.get(url), probe)
    sink.connect { handle.resumeReceiving() }
    Task.detached { sink.finish(await probe.outcome().failure.map { .failure($0) } ?? .success(())) }
    let digest = TestDigest()
    var count = 0
    while let block = try await sink.next() {
      block.withUnsafeBytes { digest.update($0) }
      count += block.count
      if let pause { try await Task.sleep(for: pause) }
    }
    return (count, digest.finish())
  }
}
