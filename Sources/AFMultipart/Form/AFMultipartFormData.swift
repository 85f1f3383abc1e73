public import Foundation

/// The packet size that ``AFMultipartFormData/throttleBandwidth(withPacketSize:delay:)`` is meant to be called with on a
/// slow mobile link: 16 KiB.
public let kAFUploadStream3GSuggestedPacketSize: UInt = 16384

/// The delay that ``AFMultipartFormData/throttleBandwidth(withPacketSize:delay:)`` is meant to be called with on a slow
/// mobile link: 0.2 seconds, which gives about 80 KB/s with packets of 16 KiB.
public let kAFUploadStream3GSuggestedDelay: TimeInterval = 0.2

/// What the block of a multipart request gets to add its parts to.
///
/// Parts go out in the order they are appended. Names and file names are sent as UTF-8, with `"`, CR, LF and NUL written as
/// `%22`, `%0D`, `%0A` and `%00`, as the WHATWG HTML standard says (NUL is our addition), so no name can add a header.
/// The object is meant for one thread, and only while the block runs.
public protocol AFMultipartFormData {
  /// Adds a file, with the last path component as its file name and a MIME type found by its extension.
  ///
  /// The file is opened when its turn to be sent comes; its length is what it has now. A file that has grown by then is
  /// sent up to that length, one that has shrunk or vanished fails the request.
  /// - Parameters:
  ///   - fileURL: A file URL of a regular file, or of a symbolic link to one.
  ///   - name: The name of the form field.
  /// - Throws: ``AFMultipartError`` if it is not a file URL, or there is no readable regular file. Nothing is added then.
  func appendPart(withFileURL fileURL: URL, name: String) throws

  /// Adds a file under another file name and MIME type than its own. See ``appendPart(withFileURL:name:)``.
  /// - Parameters:
  ///   - fileURL: A file URL of a regular file, or of a symbolic link to one.
  ///   - name: The name of the form field.
  ///   - fileName: The file name to announce.
  ///   - mimeType: The MIME type to announce.
  /// - Throws: ``AFMultipartError`` if it is not a file URL, or there is no readable regular file. Nothing is added then.
  func appendPart(withFileURL fileURL: URL, name: String, fileName: String, mimeType: String) throws

  /// Adds what a stream gives. Such a part can be sent once only; see <doc:ReplayingABody> for one that can be repeated.
  ///
  /// Exactly `length` bytes are read. A stream that ends before fails the request; what it has beyond is not read.
  /// - Parameters:
  ///   - inputStream: The stream, opened or not. It is read on a queue of its own and must not be used any more. Without
  ///     one the part is empty, and sending fails unless `length` is 0.
  ///   - name: The name of the form field.
  ///   - fileName: The file name to announce.
  ///   - length: The number of bytes, or a negative number if it is not known; the request then has no Content-Length.
  ///   - mimeType: The MIME type to announce.
  func appendPart(with inputStream: InputStream?, name: String, fileName: String, length: Int64, mimeType: String)

  /// Adds data as a file.
  /// - Parameters:
  ///   - data: The content.
  ///   - name: The name of the form field.
  ///   - fileName: The file name to announce.
  ///   - mimeType: The MIME type to announce.
  func appendPart(withFileData data: Data, name: String, fileName: String, mimeType: String)

  /// Adds a plain form field.
  /// - Parameters:
  ///   - data: The value of the field.
  ///   - name: The name of the field.
  func appendPart(withForm data: Data, name: String)

  /// Adds a part with these header fields and no others.
  /// - Parameters:
  ///   - headers: Content-Disposition is sent first, Content-Type next, the others by name.
  ///   - body: The content.
  func appendPart(withHeaders headers: [String: String]?, body: Data)

  /// Sends the body in packets with a pause between them. The last call counts, for the whole body.
  ///
  /// No read of the body gives more than a packet, whatever the borders of the parts are. The pause blocks no thread and
  /// no other transfer, and it outlives a rewind or copy of the body.
  /// - Parameters:
  ///   - numberOfBytes: The size of a packet; 0 means no limit. Default of a new form: no limit.
  ///   - delay: Seconds between two packets, fractions included. Default of a new form: 0.
  func throttleBandwidth(withPacketSize numberOfBytes: UInt, delay: TimeInterval)
}

extension AFMultipartFormData {
  /// The form, for what AFNetworking did not have: parts of other kinds, their headers, a bandwidth limit. Not nil in the
  /// block of a request; nil for an implementation of your own.
  public var form: AFMultipartForm? { self as? AFMultipartForm }

  /// ``throttleBandwidth(withPacketSize:delay:)`` for a packet size that is an `Int`; a negative one counts as 0.
  public func throttleBandwidth(withPacketSize numberOfBytes: Int, delay: TimeInterval) {
    throttleBandwidth(withPacketSize: UInt(max(0, numberOfBytes)), delay: delay)
  }
}
