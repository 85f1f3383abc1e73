import AFSupport
public import Foundation
import Glibc

extension AFMultipartContent {
  /// A file, with the length that it has now. It is opened when its turn to be sent comes; only a file whose length the file system
  /// does not tell, as in /proc and /sys, is read now, up to 16 MiB.
  /// - Parameter fileURL: A file URL of a regular file, or of a symbolic link to one.
  /// - Returns: The content.
  /// - Throws: ``AFMultipartError`` if it is not a file URL, or there is no readable regular file.
  public static func file(_ fileURL: URL) throws(AFMultipartError) -> Self {
    try file(fileURL, offset: 0, length: nil)
  }

  /// A range of a file. It is opened when its turn to be sent comes.
  /// - Parameters:
  ///   - fileURL: A file URL of a regular file, or of a symbolic link to one.
  ///   - offset: The first byte.
  ///   - length: The number of bytes, or nil for all up to the end that the file has now.
  /// - Returns: The content.
  /// - Throws: ``AFMultipartError`` if it is not a file URL, there is no readable regular file, or it is too short.
  public static func file(_ fileURL: URL, offset: Int64, length: Int64?) throws(AFMultipartError) -> Self {
    guard fileURL.isFileURL else {
      throw AFMultipartError(.notFileURL, reason: "\(fileURL.absoluteString) is not a file URL", fileURL: fileURL)
    }
    let path = fileURL.path
    do {
      // Looked at before it is opened: to open a pipe or a device can have effects.
      var info = stat()
      guard stat(path, &info) == 0 else { throw POSIXFailure(call: "stat", path: path) }
      guard info.st_mode & S_IFMT != S_IFDIR else { throw POSIXFailure(call: "open", path: path, code: EISDIR) }
      guard info.st_mode & S_IFMT == S_IFREG else { throw FileBodyError.notRegular(path: path) }
      let reader = try FileBodyReader(path: path, offset: offset, length: length)
      // It may say something else the next time, and of another length.
      if let bytes = reader.gathered { return .data(bytes) }
      let size = reader.contentLength
      return Self(
        storage: .reader { try FileBodyReader(path: path, offset: offset, length: size) },
        length: size
      )
    } catch {
      throw AFMultipartError(wrapping: error, fileURL: fileURL)
    }
  }
}
