import AFSecurity
import AFSupport
import AFTransport
import Dispatch
import Foundation

extension TaskBody {
  /// The digest of a body that is at hand, in hexadecimal digits; nil if it has to be read.
  func digest(_ algorithm: Digest.Algorithm) -> String? {
    switch self {
    case .none: return Digest.hex(algorithm, "")
    case .data(let data):
      guard data.count <= 64 << 10, let running = RunningDigest(algorithm) else { return nil }
      data.withUnsafeBytes { running.update($0) }
      return running.finish()
    case .file, .stream: return nil
    }
  }

  /// Whether it can be read for its digest and then be sent.
  var canBeDigested: Bool {
    if case .stream(let body) = self { return body.isReplayable }
    return true
  }
}

extension StreamBody {
  /// Whether readers can be had as often as wanted.
  var isReplayable: Bool {
    guard canBeSent, let source = stream as? any BodyReaderSource else { return false }
    let reader = source.makeBodyReader()
    defer { reader.close() }
    return reader.isReplayable
  }
}

/// Reads a body to its end, on a queue and without holding a thread, for the digest that `auth-int` wants.
final class BodyDigest: Sendable {
  private let running: RunningDigest
  private let reader: any BodyReader
  private let queue = DispatchQueue(label: "af.body-digest", qos: .userInitiated)
  private let isOver = Locked(false)
  private let finished: @Sendable (Result<String, any Error>) -> Void

  /// `finished` is called once, on a queue of its own.
  init(
    _ running: RunningDigest, _ reader: any BodyReader,
    _ finished: @escaping @Sendable (Result<String, any Error>) -> Void
  ) {
    self.running = running
    self.reader = reader
    self.finished = finished
  }

  func start() {
    reader.setWakeUp { [self] in queue.async { self.pull() } }
    queue.async { self.pull() }
  }

  private func pull() {
    guard !isOver.withLock({ $0 }) else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      switch reader.read(into: buffer) {
      case .bytes(let count): running.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .wait(until: nil): return
      case .wait(let moment?):
        queue.asyncAfter(deadline: .now() + max(0, moment - .now)) { self.pull() }
        return
      case .end: return end(.success(running.finish()))
      case .failed(let error): return end(.failure(error))
      }
    }
  }

  private func end(_ result: Result<String, any Error>) {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { return }
    reader.close()
    finished(result)
  }
}

/// Has a body read for an answer that covers it.
struct BodyDigestGate: Sendable {
  let task: TaskCore

  /// Reads the body for an answer that covers it, if there is one and it has to be read.
  /// - Returns: Whether the hop may go on; else it starts again by itself, or the task has ended.
  func lets(_ request: HopRequest) -> Bool {
    let (carried, known) = task.state.withLock { state -> ([AskerLedger.Carried], [Digest.Algorithm: String]) in
      if state.ledger.authentication.isEmpty { return ([], [:]) }
      let carried: [AskerLedger.Carried] = state.ledger.authentication.values.compactMap {
        $0.carried ?? $0.chosen.map { .init(answer: $0, isEarly: false) }
      }
      return (carried, state.ledger.bodyDigests)
    }
    let wanted = carried.compactMap(\.answer.digest).filter(\.coversBody).map(\.algorithm.hash)
    guard let algorithm = wanted.first(where: { known[$0] == nil && request.body.digest($0) == nil }),
      request.body.canBeDigested, let running = RunningDigest(algorithm)
    else { return true }
    let reader: any BodyReader
    do {
      switch try request.body.forHop(declaredLength: nil) {
      case .none: return true
      case .data(let data): reader = DataReader(data)
      case .reader(let own): reader = own
      }
    } catch {
      task.fail(URLError.unreadableBody(request.url, error))
      return false
    }
    guard let question = TaskQuestion.open(.bodyDigest, of: task) else { return false }
    BodyDigest(running, reader) { [task] result in
      guard question.close() else { return }
      switch result {
      case .success(let digest):
        let next = task.state.withLock { state in
          state.ledger.bodyDigests[algorithm] = digest
          return state.current
        }
        task.goOn(with: next)
      case .failure(let error): task.fail(URLError.unreadableBody(request.url, error))
      }
    }.start()
    return false
  }
}

extension URLError {
  /// The error of a task whose body cannot be read.
  static func unreadableBody(_ url: String, _ error: any Error) -> URLError {
    let text = "The request body cannot be read: \(String(describing: error))"
    return make(code(forBody: error), url: url, text, underlying: error)
  }
}

/// Reads what is in memory.
private final class DataReader: BodyReader {
  private let data: Data
  private let place = Locked(0)

  init(_ data: Data) {
    self.data = data
  }

  var contentLength: Int64? { Int64(data.count) }
  var isReplayable: Bool { true }
  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}
  func rewind() { place.withLock { $0 = 0 } }
  func close() {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    place.withLock { place in
      let count = min(buffer.count, data.count - place)
      guard count > 0 else { return .end }
      data.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + count])) }
      place += count
      return .bytes(count)
    }
  }
}
