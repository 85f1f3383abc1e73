package import AFSupport
import Dispatch
package import Foundation

/// Moves a body into an output, on a queue of its own, without a thread that waits where the body has to be waited for.
package final class BodyWriter: Sendable {
  private let reader: any BodyReader
  private let output: any BodyOutput
  private let progress: @Sendable (Int64) -> Void
  private let completion: @Sendable ((any Error)?) -> Void
  private let queue = DispatchQueue(label: "AFNetworking.BodyWriter")
  private let state = Locked(State())

  private struct State {
    var isCancelled = false
    var isDone = false
    var written: Int64 = 0
  }

  private static let blockSize = 256 << 10

  init(
    _ reader: any BodyReader,
    to output: any BodyOutput,
    progress: @escaping @Sendable (Int64) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    self.reader = reader
    self.output = output
    self.progress = progress
    self.completion = completion
  }

  /// Writes a body to a file, which appears when it is complete. The completion is called once, on a private queue, and
  /// with `CancellationError` after ``cancel()``; after an error no file is left behind.
  @discardableResult
  package static func write(
    _ reader: any BodyReader,
    to fileURL: URL,
    progress: @escaping @Sendable (Int64) -> Void = { _ in },
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) -> BodyWriter? {
    start(reader, progress: progress, completion: completion) { try FileOutput(fileURL) }
  }

  /// Starts the writing to what `makeOutput` opens.
  static func start(
    _ reader: any BodyReader,
    progress: @escaping @Sendable (Int64) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void,
    makeOutput: () throws -> any BodyOutput
  ) -> BodyWriter? {
    do {
      let writer = BodyWriter(reader, to: try makeOutput(), progress: progress, completion: completion)
      reader.setWakeUp { writer.resume() }
      writer.resume()
      return writer
    } catch {
      reader.close()
      DispatchQueue.global().async { completion(error) }
      return nil
    }
  }

  package func cancel() {
    state.withLock { $0.isCancelled = true }
    resume()
  }

  private func resume() {
    queue.async { self.run() }
  }

  private func run() {
    guard !state.withLock({ $0.isDone }) else { return }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 4096)
    defer { block.deallocate() }
    while !state.withLock({ $0.isCancelled }) {
      switch reader.read(into: block) {
      case .bytes(let count):
        do { try output.write(UnsafeRawBufferPointer(rebasing: block[..<count])) } catch { return finish(error) }
        let written = state.withLock { state in
          state.written += Int64(count)
          return state.written
        }
        progress(written)
      case .wait(until: nil):
        return
      case .wait(let moment?):
        return queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: moment.nanoseconds)) { self.run() }
      case .end:
        do { try output.finish() } catch { return finish(error) }
        return finish(nil)
      case .failed(let error):
        return finish(error)
      }
    }
    finish(CancellationError())
  }

  private func finish(_ error: (any Error)?) {
    state.withLock { $0.isDone = true }
    reader.close()
    if error != nil { output.abandon() }
    completion(error)
  }
}
