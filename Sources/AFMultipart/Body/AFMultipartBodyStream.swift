package import AFSupport
import Dispatch
public import Foundation

/// A multipart body as an `InputStream`, for wherever one goes.
///
/// ``read(_:maxLength:)`` blocks while a part has nothing at hand or the throttle says so. The engine of this package does
/// not call it: it pulls the same bytes without blocking. A stream is read once, as streams are; ``copy(with:)`` gives
/// another from the first byte on, with the same boundary and the same throttle.
public final class AFMultipartBodyStream: InputStream, NSCopying {
  private let body: MultipartBody
  private let reader: MultipartBodyReader
  private let wakeUps = DispatchSemaphore(value: 0)
  private let state = Locked(State())

  private struct State {
    var status = Stream.Status.notOpen
    var error: AFMultipartError?
  }

  init(_ body: MultipartBody) {
    self.body = body
    reader = MultipartBodyReader(body)
    // An initializer that corelibs demands; its stream is never used.
    super.init(data: Data())
    reader.setWakeUp { [wakeUps] in wakeUps.signal() }
  }

  /// The length of the body; nil if a part's is not known.
  public var contentLength: Int64? { reader.contentLength }

  /// Whether the body can be sent again. Known before anything is sent.
  public var isReplayable: Bool { reader.isReplayable }

  /// Another stream of the same body from its first byte.
  ///
  /// A part that can be had only once goes to whoever reads first; the other then fails with
  /// ``AFMultipartError/Code/notReplayable`` before its first byte.
  public func copy(with zone: NSZone? = nil) -> Any {
    AFMultipartBodyStream(body)
  }

  /// Starts the body. Does nothing on a stream that has been opened before.
  public override func open() {
    state.withLock { if $0.status == .notOpen { $0.status = .open } }
  }

  /// Ends the reading, also that of another thread which is waiting in ``read(_:maxLength:)``.
  public override func close() {
    state.withLock { $0.status = .closed }
    wakeUps.signal()
    reader.close()
  }

  /// Reads the next bytes, waiting for them if need be.
  /// - Parameters:
  ///   - buffer: Where to put them.
  ///   - len: The size of the buffer.
  /// - Returns: How many bytes there were; 0 at the end or if the stream is not open; -1 on failure, see ``streamError``.
  public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard len > 0 else { return 0 }
    let target = UnsafeMutableRawBufferPointer(start: buffer, count: len)
    while true {
      switch state.withLock({ $0.status }) {
      case .open, .reading: break
      case .error: return -1
      default: return 0
      }
      switch reader.read(into: target) {
      case .bytes(let count):
        return count
      case .wait(until: nil):
        wakeUps.wait()
      case .wait(let moment?):
        _ = wakeUps.wait(timeout: DispatchTime(uptimeNanoseconds: moment.nanoseconds))
      case .end:
        state.withLock { if $0.status == .open { $0.status = .atEnd } }
        return 0
      case .failed(let error):
        fail(error)
        return -1
      }
    }
  }

  private func fail(_ error: any Error) {
    state.withLock { state in
      guard state.status == .open else { return }
      state.status = .error
      state.error = error as? AFMultipartError ?? AFMultipartError(wrapping: error)
    }
  }

  /// Whether the stream is open and its last byte has not been read yet.
  public override var hasBytesAvailable: Bool {
    state.withLock { $0.status } == .open && !reader.isAtEnd
  }

  /// Always false: there is no buffer to lend.
  public override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool {
    false
  }

  /// Not open, open, at end, error or closed.
  public override var streamStatus: Stream.Status { state.withLock { $0.status } }

  /// An ``AFMultipartError`` that names the part; nil unless ``streamStatus`` is `.error`.
  public override var streamError: (any Error)? { state.withLock { $0.error } }

  /// Kept, and never called: the stream has no events. Read it, or give it to a request.
  public override var delegate: (any StreamDelegate)? {
    get { nil }
    set {}
  }

  /// Does nothing: the stream has no events.
  public override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

  /// Does nothing: the stream has no events.
  public override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

  /// Always nil: there are no properties.
  public override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

  /// Always false: there are no properties.
  public override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}

extension AFMultipartBodyStream: BodyReaderSource {
  package func makeBodyReader() -> any BodyReader {
    MultipartBodyReader(body)
  }

  /// For what is not a network: a reader that the throttle does not slow down.
  func makeUnthrottledReader() -> any BodyReader {
    MultipartBodyReader(body.unthrottled)
  }
}
