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
/// a new one, or fails before anything is sent.
final class StreamBody: Sendable {
  /// The stream has been read and cannot be had again.
  struct Spent: Error, CustomStringConvertible {
    var description: String { "the body stream has been sent once and cannot be had again" }
  }

  // Unchecked because InputStream is not Sendable; the stream is handed on and never touched here.
  private struct Box: @unchecked Sendable {
    let stream: InputStream
  }

  private struct State {
    var isRead = false
    var isReplayable = false
  }

  private let box: Box
  private let state = Locked(State())

  init(_ stream: InputStream) {
    box = Box(stream: stream)
  }

  /// The stream as the request held it.
  var stream: InputStream { box.stream }

  /// Whether another hop can have the body; known once a hop has had it.
  var canBeSent: Bool { state.withLock { !$0.isRead || $0.isReplayable } }

  /// A reader for one hop. `length` is what the caller declared, if anything.
  func makeReader(length: Int64?) throws -> any BodyReader {
    guard canBeSent else { throw Spent() }
    let reader = bodyReader(for: box.stream, length: length)
    let canRepeat = box.stream is any BodyReaderSource && reader.isReplayable
    state.withLock { $0 = State(isRead: true, isReplayable: canRepeat) }
    return reader
  }
}
