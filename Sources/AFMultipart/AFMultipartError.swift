import AFSupport
public import Foundation

/// Why a part cannot be added to a form, or a multipart body cannot be sent.
///
/// As an `NSError` it has AFNetworking's domain for request serialization; a URL that is no file URL and a file that cannot
/// be reached have AFNetworking's code, -1000. Other codes are those of `URLError`.
public struct AFMultipartError: Error, Sendable {
  /// What went wrong.
  public enum Code: Sendable, Hashable {
    /// The URL of the file is not a file URL (-1000).
    case notFileURL
    /// There is no such file, or it cannot be looked at (-1000).
    case unreachableFile
    /// There is a file and it must not be read (-1102).
    case unreadableFile
    /// It is a directory (-1101).
    case isDirectory
    /// It is neither a regular file nor a directory, but a pipe, a socket or a device (-3001).
    case notRegularFile
    /// The range asked for is not within the file, or the length declared is negative (-3001).
    case outOfRange
    /// The content ended before the length that was declared (-1021).
    case endedEarly
    /// The content could not be read (-1021).
    case readFailed
    /// The content can be had only once, and that has happened (-1021).
    case notReplayable
    /// There is no stream to read (-1021).
    case missingStream
    /// The name of a header field of the part is no token (RFC 9110 §5.1), or there is none (-1016).
    case invalidHeaderName
    /// The output took no more bytes, or could not be written (-3003).
    case writeFailed
  }

  /// What went wrong.
  public let code: Code
  /// The name of the form field whose part it is about; nil if the part has none.
  public let partName: String?
  /// Which part it is about, counted from 0; nil for a part that could not be added.
  public let partIndex: Int?
  /// The file it is about.
  public let fileURL: URL?
  /// What the system said.
  public let underlyingError: (any Error)?
  private let reason: String

  init(
    _ code: Code,
    reason: String,
    partName: String? = nil,
    partIndex: Int? = nil,
    fileURL: URL? = nil,
    underlyingError: (any Error)? = nil
  ) {
    self.code = code
    self.reason = reason
    self.partName = partName
    self.partIndex = partIndex
    self.fileURL = fileURL
    self.underlyingError = underlyingError
  }
}

extension AFMultipartError: LocalizedError, CustomStringConvertible {
  /// One sentence with the part, the file and the reason.
  public var description: String {
    let reason = reason.printable()
    return switch (partName?.printable(limit: 200), partIndex) {
    case (let name?, let index?): "Part \(index) (\"\(name)\") of the multipart body: \(reason)"
    case (nil, let index?): "Part \(index) of the multipart body: \(reason)"
    case (let name?, nil): "Part \"\(name)\" of the multipart body: \(reason)"
    case (nil, nil): "The multipart body: \(reason)"
    }
  }

  /// Same as ``description``.
  public var errorDescription: String? { description }

  /// The reason without the part.
  public var failureReason: String? { reason.printable() }
}

extension AFMultipartError: CustomNSError {
  /// AFNetworking's domain of request serialization errors.
  public static var errorDomain: String { "com.alamofire.error.serialization.request" }

  /// The number that each ``Code`` has in parentheses.
  public var errorCode: Int {
    switch code {
    case .notFileURL, .unreachableFile: -1000
    case .unreadableFile: -1102
    case .isDirectory: -1101
    case .notRegularFile, .outOfRange: -3001
    case .endedEarly, .readFailed, .notReplayable, .missingStream: -1021
    case .invalidHeaderName: -1016
    case .writeFailed: -3003
    }
  }

  /// The texts, the file's path and the underlying error.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason.printable(),
    ]
    if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
    if let underlyingError { info[NSUnderlyingErrorKey] = underlyingError as NSError }
    return info
  }
}
