import AFSupport
public import Foundation

/// What a part of a multipart body consists of.
public struct AFMultipartContent: Sendable {
  enum Storage: Sendable {
    case data(Data)
    /// Makes a new reader each time.
    case reader(@Sendable () throws -> any BodyReader)
    /// Has one reader, for the first who asks.
    case oneShot(OneShotReader)
    /// Nothing to read: why is thrown before the first byte of the body is given.
    case unusable(StreamBodyError)
  }

  let storage: Storage

  /// The number of bytes, or nil if it is not known before the end. A body with such a part has no Content-Length.
  public let length: Int64?

  /// Whether the content can be had again, byte for byte, after a redirect, an authentication challenge or a retry.
  public var isReplayable: Bool {
    switch storage {
    case .data, .reader: true
    case .oneShot, .unusable: false
    }
  }

  init(storage: Storage, length: Int64?) {
    self.storage = storage
    self.length = length
  }

  /// Bytes in memory.
  /// - Parameter data: The bytes.
  /// - Returns: The content.
  public static func data(_ data: Data) -> Self {
    Self(storage: .data(data), length: Int64(data.count))
  }

  /// The body of a form, to be a part of another: see ``AFMultipartPart/init(name:multipart:subtype:)``.
  /// - Parameter form: The inner form, as it is now; its throttle does not count.
  /// - Returns: The content.
  public static func multipart(_ form: AFMultipartForm) -> Self {
    let body = form.makeBody(throttle: Throttle())
    let storage: Storage =
      body.isReplayable
      ? .reader { MultipartBodyReader(body) }
      : .oneShot(OneShotReader(MultipartBodyReader(body)))
    return Self(storage: storage, length: body.contentLength)
  }
}

/// A reader that the first who asks for it gets.
final class OneShotReader: Sendable {
  private let reader: Locked<(any BodyReader)?>

  init(_ reader: any BodyReader) {
    self.reader = Locked(reader)
  }

  func claim() throws(StreamBodyError) -> any BodyReader {
    let claimed = reader.withLock { reader in
      defer { reader = nil }
      return reader
    }
    guard let claimed else { throw .notReplayable }
    return claimed
  }
}
