import AFSupport
public import Foundation

extension AFByteStream {
  /// The body's lines of text, which end with LF or CR LF. Empty lines are lines; so is what stands after the last ending, if
  /// anything does. Bytes that are no UTF-8 become U+FFFD.
  /// - Parameter maximumLength: The most bytes of a line; more throws ``AFStreamError/lineTooLong(limit:)``. Default 1 MiB.
  /// - Returns: The lines. They are read from this stream's body: once, by one iterator.
  public func lines(maximumLength: Int = 1 << 20) -> Lines { Lines(chunks: chunks, limit: maximumLength) }

  /// The body's lines as values: JSON lines, also known as NDJSON. Empty lines are passed over.
  ///
  ///     for try await reading in stream.jsonLines(as: Reading.self) { … }
  /// - Parameters:
  ///   - type: What a line holds.
  ///   - decoder: What decodes it. Default: a `JSONDecoder` with its own defaults.
  ///   - maximumLength: The most bytes of a line; more throws ``AFStreamError/lineTooLong(limit:)``. Default 1 MiB.
  /// - Returns: The values. They are read from this stream's body: once, by one iterator. A line that cannot be decoded throws
  ///   ``AFStreamError/undecodableLine(number:reason:)``; the iterator may be asked for the next one.
  public func jsonLines<Value: Decodable & Sendable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), maximumLength: Int = 1 << 20
  ) -> JSONLines<Value> {
    JSONLines(chunks: chunks, decoder: decoder, limit: maximumLength)
  }

  /// The lines of a body.
  public struct Lines: AsyncSequence, Sendable {
    /// A line, without its ending.
    public typealias Element = String
    /// What the iteration throws; its cause may be an ``AFStreamError``.
    public typealias Failure = AFError

    fileprivate let chunks: Chunks
    fileprivate let limit: Int

    /// An iterator over the lines.
    public func makeAsyncIterator() -> Iterator { Iterator(lines: LineReading(chunks, limit)) }

    /// An iterator over the lines of a body.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var lines: LineReading

      /// The next line, or nil at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(AFError) -> String? {
        try await lines.next().map { String(decoding: $0, as: UTF8.self) }
      }

      /// The next line, or nil at the end.
      public mutating func next() async throws(AFError) -> String? { try await next(isolation: #isolation) }
    }
  }

  /// The values of a body of JSON lines.
  public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// What a line holds.
    public typealias Element = Value
    /// What the iteration throws; its cause may be an ``AFStreamError``.
    public typealias Failure = AFError

    fileprivate let chunks: Chunks
    fileprivate let decoder: JSONDecoder
    fileprivate let limit: Int

    /// An iterator over the values.
    public func makeAsyncIterator() -> Iterator { Iterator(lines: LineReading(chunks, limit), decoder: decoder) }

    /// An iterator over the values of a body.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var lines: LineReading
      fileprivate let decoder: JSONDecoder

      /// The next value, or nil at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(AFError) -> Value? {
        while let line = try await lines.next() {
          guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
          do {
            return try decoder.decode(Value.self, from: Data(line))
          } catch {
            throw AFError(AFStreamError.undecodableLine(number: lines.count, reason: Self.reason(error)))
          }
        }
        return nil
      }

      /// The next value, or nil at the end.
      public mutating func next() async throws(AFError) -> Value? { try await next(isolation: #isolation) }

      /// Where in the value something is wrong. Not what is there: it may be a secret.
      private static func reason(_ error: any Error) -> String {
        let (text, path): (String, [any CodingKey]) =
          switch error {
          case DecodingError.keyNotFound(let key, let context): ("no value for \(key.stringValue)", context.codingPath)
          case DecodingError.typeMismatch(let type, let context): ("no \(type)", context.codingPath)
          case DecodingError.valueNotFound(let type, let context): ("null in place of a \(type)", context.codingPath)
          default: ("no valid JSON", [])
          }
        return path.isEmpty ? text : "\(text) at \(path.map(\.stringValue).joined(separator: "."))"
      }
    }
  }

  /// Lines out of blocks.
  fileprivate struct LineReading {
    private var blocks: Chunks.Iterator
    private var splitter: LineSplitter
    private var waiting: [[UInt8]] = []
    private var taken = 0
    private var isOver = false
    /// Thrown once the lines before it are given.
    private var failure: AFError?
    /// How many lines have been given.
    private(set) var count = 0

    init(_ chunks: Chunks, _ limit: Int) {
      blocks = chunks.makeAsyncIterator()
      splitter = LineSplitter(ending: .lineFeed, limit: limit)
    }

    mutating func next() async throws(AFError) -> [UInt8]? {
      while taken == waiting.count {
        if let failure {
          self.failure = nil
          throw failure
        }
        guard !isOver else { return nil }
        (waiting, taken) = ([], 0)
        do {
          try await fill()
        } catch {
          isOver = true
          failure = (error as? AFError) ?? AFError(error)
        }
      }
      defer {
        taken += 1
        count += 1
      }
      return waiting[taken]
    }

    private mutating func fill() async throws {
      guard let block = try await blocks.next() else {
        isOver = true
        if let last = try splitter.finish() { waiting = [last] }
        return
      }
      try splitter.append(block) { waiting.append($0) }
    }
  }
}
