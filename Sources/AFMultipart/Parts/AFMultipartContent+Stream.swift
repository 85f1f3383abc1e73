import AFSupport
public import Foundation

extension AFMultipartContent {
  /// What a stream gives. It can be had once only.
  /// - Parameters:
  ///   - stream: The stream, opened or not. It is read on a queue of its own and must not be used any more.
  ///   - length: The number of bytes: as many are read, and a stream that ends before fails the body. nil if unknown; a
  ///     negative number fails the body before its first byte.
  /// - Returns: The content.
  public static func stream(_ stream: InputStream, length: Int64?) -> Self {
    if let source = stream as? any BodyReaderSource {
      // One of ours needs no queue to be read, and is as replayable as what it consists of.
      let reader = source.makeBodyReader()
      guard reader.isReplayable else { return Self(storage: .oneShot(OneShotReader(reader)), length: length) }
      let box = SourceBox(source: source)
      return Self(storage: .reader { box.source.makeBodyReader() }, length: length)
    }
    if let length, length < 0 { return .negative(length) }
    return Self(storage: .oneShot(OneShotReader(ChannelBodyReader(stream: stream, length: length))), length: length)
  }

  /// What a stream gives that can be opened anew, so that the part can be sent again.
  /// - Parameters:
  ///   - length: The number of bytes: as many are read, and a stream that ends before fails the body. nil if unknown; a
  ///     negative number fails the body before its first byte.
  ///   - provider: Makes the stream; called on a queue each time the content is read from its start. It must give the
  ///     same bytes each time.
  /// - Returns: The content.
  public static func stream(length: Int64?, provider: @escaping @Sendable () -> InputStream?) -> Self {
    if let length, length < 0 { return .negative(length) }
    return Self(storage: .reader { ChannelBodyReader(length: length, provider: provider) }, length: length)
  }

  /// What has a negative length, and so cannot be sent. In AFNetworking's methods a negative length means an unknown one.
  static func negative(_ length: Int64) -> Self {
    Self(storage: .unusable(.negativeLength(length)), length: nil)
  }

  static func missingStream(length: Int64) -> Self {
    length == 0 ? .data(Data()) : Self(storage: .unusable(.missing), length: max(0, length))
  }
}

/// Carries a stream of this package, whose `makeBodyReader` can be called from any thread.
private final class SourceBox: @unchecked Sendable {
  // Unchecked because InputStream is not Sendable; only `makeBodyReader` is called, which touches immutable state.
  let source: any BodyReaderSource

  init(source: any BodyReaderSource) {
    self.source = source
  }
}
