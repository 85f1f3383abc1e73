import AFSupport
import AFTransport
import Foundation

/// Where a task's body comes from, hop after hop.
enum TaskBody: Sendable {
  case none
  case data(Data)
  case file(path: String)
  case stream(StreamBody)

  var isEmpty: Bool {
    if case .none = self { return true }
    return false
  }

  /// Whether a hop can have the body, though another may have sent it.
  var canBeSent: Bool {
    if case .stream(let body) = self { return body.canBeSent }
    return true
  }

  /// The length, as far as it is known without opening anything.
  var knownLength: Int64? {
    switch self {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .file, .stream: nil
    }
  }

  /// The body for one hop.
  /// - Throws: A ``POSIXFailure`` or ``FileBodyError`` of the file, or ``StreamBody/Spent``.
  func forHop(declaredLength: Int64?) throws -> TransferRequest.Body {
    switch self {
    case .none: .none
    case .data(let data): .data(data)
    case .file(let path): .reader(try FileBodyReader(path: path))
    case .stream(let body): .reader(try body.makeReader(length: declaredLength))
    }
  }
}

/// A request's `httpBodyStream`.
///
/// A multipart stream gives a reader for every hop. Any other stream can be read once; a second hop that needs it asks for
/// a new one, or fails before anything is sent. A hop that ended before it wanted the first byte has not read it.
final class StreamBody: Sendable {
  /// The stream has been read and cannot be had again.
  struct Spent: Error, CustomStringConvertible {
    var description: String { "the body stream has been sent once and cannot be had again" }
  }

  // Unchecked because InputStream is not Sendable; the stream is handed on and never touched here.
  private struct Box: @unchecked Sendable {
    let stream: InputStream
  }

  private let box: Box
  private let makeOnce: (@Sendable (_ length: Int64?) -> any BodyReader)?
  private let isSpent = Locked(false)

  init(_ stream: InputStream) {
    box = Box(stream: stream)
    makeOnce = nil
  }

  /// A body that is no stream and can be read once; `make` is called when the first byte is wanted. In the request an empty
  /// stream stands for it.
  init(once make: @escaping @Sendable (_ length: Int64?) -> any BodyReader) {
    box = Box(stream: InputStream(data: Data()))
    makeOnce = make
  }

  /// The stream as the request held it.
  var stream: InputStream { box.stream }

  /// Whether another hop can have the body.
  var canBeSent: Bool { isSpent.withLock { !$0 } }

  /// A reader for one hop. `length` is what the caller declared, if anything.
  func makeReader(length: Int64?) throws -> any BodyReader {
    guard canBeSent else { throw Spent() }
    guard let source = box.stream as? any BodyReaderSource else { return LateReader(self, length: length) }
    let reader = source.makeBodyReader()
    if !reader.isReplayable { isSpent.withLock { $0 = true } }
    return reader
  }

  /// The one reader of a stream that can be read once.
  fileprivate func begin(length: Int64?) -> any BodyReader {
    isSpent.withLock { $0 = true }
    return makeOnce?(length) ?? bodyReader(for: box.stream, length: length)
  }
}

/// Reads a stream that can be read once; it is not touched before the first byte is wanted.
private final class LateReader: BodyReader {
  private struct State {
    var reader: (any BodyReader)?
    var wakeUp: (@Sendable () -> Void)?
  }

  let contentLength: Int64?
  private let body: StreamBody
  private let state = Locked(State())

  init(_ body: StreamBody, length: Int64?) {
    self.body = body
    contentLength = length.map { max(0, $0) }
  }

  var isReplayable: Bool { false }

  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let (begun, wakeUp) = state.withLock { ($0.reader, $0.wakeUp) }
    if let begun { return begun.read(into: buffer) }
    // Only the engine's thread pulls, so nobody else makes one meanwhile.
    let reader = body.begin(length: contentLength)
    if let wakeUp { reader.setWakeUp(wakeUp) }
    state.withLock { $0.reader = reader }
    return reader.read(into: buffer)
  }

  func rewind() throws {
    if state.withLock({ $0.reader != nil }) { throw StreamBody.Spent() }
  }

  func close() { state.withLock { $0.reader }?.close() }
}
