import AFSupport
public import Foundation

extension AFMultipartContent {
  /// The bytes of an asynchronous sequence. They can be had once only.
  ///
  /// The sequence is asked for more only as fast as the body is sent; a task does it, which is cancelled with the request.
  /// - Parameters:
  ///   - bytes: The sequence. Its error fails the body.
  ///   - length: The number of bytes: no more are sent, and an end before fails the body. nil if unknown;
  ///     a negative number fails the body before its first byte.
  /// - Returns: The content.
  public static func bytes<Bytes: AsyncSequence & Sendable>(from bytes: Bytes, length: Int64?) -> Self
  where Bytes.Element == UInt8 {
    oneShot(length) { sink in
      for try await byte in bytes where !sink.writeAtOnce(byte) { try await sink.write(byte) }
    }
  }

  /// The bytes of an asynchronous sequence of pieces, such as `Data` or `[UInt8]`. They can be had once only.
  ///
  /// The sequence is asked for more only as fast as the body is sent; a task does it, which is cancelled with the request.
  /// - Parameters:
  ///   - chunks: The sequence. Its error fails the body.
  ///   - length: The number of bytes: no more are sent, and an end before fails the body. nil if unknown;
  ///     a negative number fails the body before its first byte.
  /// - Returns: The content.
  public static func chunks<Chunks: AsyncSequence & Sendable>(from chunks: Chunks, length: Int64?) -> Self
  where Chunks.Element: DataProtocol {
    oneShot(length) { sink in for try await chunk in chunks { try await sink.write(chunk) } }
  }

  /// The bytes of an asynchronous sequence that can be had anew, so that the part can be sent again.
  /// - Parameters:
  ///   - length: The number of bytes: no more are sent, and an end before fails the body. nil if unknown;
  ///     a negative number fails the body before its first byte.
  ///   - provider: Makes the sequence; called each time the content is read from its start. It must give the same bytes
  ///     each time. Its error fails the body.
  /// - Returns: The content.
  public static func bytes<Bytes: AsyncSequence & SendableMetatype>(
    length: Int64?, provider: @escaping @Sendable () async throws -> Bytes
  ) -> Self where Bytes.Element == UInt8 {
    replayable(length) { sink in
      for try await byte in try await provider() where !sink.writeAtOnce(byte) { try await sink.write(byte) }
    }
  }

  /// The bytes of an asynchronous sequence of pieces that can be had anew, so that the part can be sent again.
  /// - Parameters:
  ///   - length: The number of bytes: no more are sent, and an end before fails the body. nil if unknown;
  ///     a negative number fails the body before its first byte.
  ///   - provider: Makes the sequence; called each time the content is read from its start. It must give the same bytes
  ///     each time. Its error fails the body.
  /// - Returns: The content.
  public static func chunks<Chunks: AsyncSequence & SendableMetatype>(
    length: Int64?, provider: @escaping @Sendable () async throws -> Chunks
  ) -> Self where Chunks.Element: DataProtocol {
    replayable(length) { sink in for try await chunk in try await provider() { try await sink.write(chunk) } }
  }

  private static func oneShot(
    _ length: Int64?, produce: @escaping @Sendable (AsyncBodySink) async throws -> Void
  ) -> Self {
    if let length, length < 0 { return .negative(length) }
    let reader = ChannelBodyReader(length: length, isReplayable: false, produce: produce)
    return Self(storage: .oneShot(OneShotReader(reader)), length: length)
  }

  private static func replayable(
    _ length: Int64?, produce: @escaping @Sendable (AsyncBodySink) async throws -> Void
  ) -> Self {
    if let length, length < 0 { return .negative(length) }
    return Self(
      storage: .reader { ChannelBodyReader(length: length, isReplayable: true, produce: produce) }, length: length)
  }
}
