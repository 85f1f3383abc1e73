import AFSupport
import Dispatch
import Foundation

/// A foreign stream: gives `steps` one by one, and counts what is asked of it.
final class ScriptedStream: InputStream {
  enum Step: Sendable {
    case bytes(Data)
    /// Blocks until the semaphore is signalled.
    case block(DispatchSemaphore)
    case fail(NSError)
  }

  private var steps: [Step]
  private var status = Stream.Status.notOpen
  private var failure: NSError?
  private let counts = Locked((largestRead: 0, given: 0))

  /// The largest read that was asked for.
  var largestRead: Int { counts.withLock { $0.largestRead } }
  /// How many bytes have been given.
  var given: Int { counts.withLock { $0.given } }

  init(_ steps: [Step]) {
    self.steps = steps
    super.init(data: Data())
  }

  override func open() { status = .open }
  override func close() { status = .closed }
  override var streamStatus: Stream.Status { status }
  override var hasBytesAvailable: Bool { status == .open }

  override var streamError: (any Error)? {
    // As corelibs' own does.
    guard let failure else { preconditionFailure("streamError was asked for without an error") }
    return failure
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    counts.withLock { $0.largestRead = max($0.largestRead, len) }
    while let step = steps.first {
      switch step {
      case .bytes(let data):
        let count = min(len, data.count)
        data.copyBytes(to: buffer, count: count)
        steps[0] = .bytes(Data(data.dropFirst(count)))
        if count == data.count { steps.removeFirst() }
        guard count > 0 else { continue }
        counts.withLock { $0.given += count }
        return count
      case .block(let semaphore):
        semaphore.wait()
        steps.removeFirst()
      case .fail(let error):
        failure = error
        status = .error
        return -1
      }
    }
    status = .atEnd
    return 0
  }
}
