package import Foundation

/// An `InputStream` that can also be pulled without blocking.
///
/// Whoever sends an `httpBodyStream` asks ``bodyReader(for:length:)`` for its reader: a stream of this package gives its
/// own, any other is pumped by a queue.
package protocol BodyReaderSource: InputStream {
  /// A reader of the whole body from its first byte, whatever has been read from the stream so far.
  func makeBodyReader() -> any BodyReader
}

/// The reader of a body stream. `length` counts for foreign streams; nil means that it is unknown.
package func bodyReader(for stream: InputStream, length: Int64?) -> any BodyReader {
  (stream as? any BodyReaderSource)?.makeBodyReader() ?? ChannelBodyReader(stream: stream, length: length)
}
