import AFSupport
import AFTransport
public import Foundation
public import FoundationNetworking

/// A response whose body is read while it comes.
///
/// The server is held back when more than about 1 MiB waits to be read, so a slow reader costs no memory. Ending the iteration
/// early (`break`, or letting the iterator go), cancelling the Swift task, or letting the stream go ends the transfer. A body is
/// read once, by one iterator: a second that waits beside the first throws `URLError.resourceUnavailable`. A stream that is kept
/// and not read keeps its connection; requests for which there is no other fail with `URLError.timedOut` after their
/// `timeoutInterval`.
public struct AFByteStream: AsyncSequence, Sendable {
  /// A byte.
  public typealias Element = UInt8
  /// What the iteration throws.
  public typealias Failure = AFError

  private let source: Source

  var head: ResponseHead { source.head }

  init(task: TaskCore, sink: StreamSink, head: ResponseHead) {
    source = Source(task: task, sink: sink, head: head)
  }

  /// The status code.
  public var statusCode: Int { source.head.statusCode }

  /// Status line and fields as Foundation has them.
  public var response: HTTPURLResponse? { source.task.httpResponse }

  /// The value of a header field, by any letter case of its name.
  public func value(forHTTPHeaderField field: String) -> String? { source.head.value(field) }

  /// The trailer fields, which came behind the body (RFC 9110 §6.5), by name; those of one name are joined with ", ". Empty until
  /// the body has been read to its end, and if there are none. See ``AFURLSessionTask/trailers``.
  public var trailers: [String: String] { source.task.state.withLock { $0.answer.trailers }?.dictionary ?? [:] }

  /// The length that the response announces, or nil.
  public var expectedCount: Int64? {
    source.head.value("Content-Encoding") == nil ? source.head.contentLength : nil
  }

  /// The body in blocks as they come, which is faster than byte by byte.
  public var chunks: Chunks { Chunks(source: source) }

  /// An iterator over the body's bytes.
  public func makeAsyncIterator() -> Iterator { Iterator(reading: Reading(source)) }

  /// An iterator over the bytes of a body.
  public struct Iterator: AsyncIteratorProtocol {
    private let reading: Reading
    private var block = Data()
    private var index = 0

    fileprivate init(reading: Reading) { self.reading = reading }

    /// The next byte, or nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(AFError) -> UInt8? {
      while index == block.endIndex {
        guard let next = try await reading.next() else { return nil }
        block = next
        index = block.startIndex
      }
      defer { index += 1 }
      return block[index]
    }

    /// The next byte, or nil at the end.
    public mutating func next() async throws(AFError) -> UInt8? { try await next(isolation: #isolation) }
  }

  /// A body in blocks.
  public struct Chunks: AsyncSequence, Sendable {
    /// A block, of any size but empty.
    public typealias Element = Data
    /// What the iteration throws.
    public typealias Failure = AFError

    fileprivate let source: Source

    /// An iterator over the body's blocks.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: Reading(source)) }

    /// An iterator over the blocks of a body.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let reading: Reading

      /// The next block, or nil at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(AFError) -> Data? {
        try await reading.next()
      }

      /// The next block, or nil at the end.
      public mutating func next() async throws(AFError) -> Data? { try await reading.next() }
    }
  }

  /// What the copies of an iterator share; with the last of them goes the transfer, if anything was read.
  fileprivate final class Reading: Sendable {
    private let source: Source
    private let hasBegun = Locked(false)

    init(_ source: Source) { self.source = source }

    deinit {
      if hasBegun.withLock({ $0 }) { source.task.cancel() }
    }

    func next() async throws(AFError) -> Data? {
      hasBegun.withLock { $0 = true }
      return try await source.next()
    }
  }

  /// What the copies of a stream share; with the last of them goes the transfer.
  fileprivate final class Source: Sendable {
    let task: TaskCore
    let head: ResponseHead
    private let sink: StreamSink

    init(task: TaskCore, sink: StreamSink, head: ResponseHead) {
      self.task = task
      self.sink = sink
      self.head = head
    }

    deinit { task.cancel() }

    func next() async throws(AFError) -> Data? {
      do {
        return try await withTaskCancellationHandler {
          try await sink.next()
        } onCancel: {
          task.cancel()
        }
      } catch is StreamSink.ReadTwice {
        let text = "The body is being read by another iterator"
        let error = URLError.make(.resourceUnavailable, url: task.state.withLock { $0.current.url }, text)
        throw TaskResult(task: task).error(error, nil)
      } catch {
        throw TaskResult(task: task).error(error, nil)
      }
    }
  }
}

extension AFURLSessionManager {
  /// Sends a request and gives its response as soon as the head is there; the body is read from the result.
  /// - Parameter request: The request, with its body.
  /// - Returns: The response, whose status code the response serializer accepts.
  /// - Throws: ``AFError``.
  public func stream(for request: URLRequest) async throws(AFError) -> AFByteStream {
    try await stream(.data, HopRequest(request))
  }

  /// `validates`: whether the response serializer has to accept the response. `made` gets the task before it starts.
  func stream(
    _ kind: TaskKind, _ request: HopRequest, validates: Bool = true, made: (TaskCore) -> Void = { _ in }
  ) async throws(AFError) -> AFByteStream {
    let sink = StreamSink()
    let task = session.core.makeTask(
      kind, request, manager: self, blocks: core.blocks, completion: .none, starts: true)
    if let refusal = refusal(for: request.url) { task.refuse(refusal) }
    made(task)
    let result = await task.runToHead(sink)
    if let error = result.error { throw result.error(error, nil) }
    guard let head = result.head else { throw result.error(URLError(.badServerResponse), nil) }
    let stream = AFByteStream(task: task, sink: sink, head: head)
    if validates { _ = try validatedBody(result) }
    return stream
  }
}
