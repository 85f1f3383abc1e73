import AFSupport
public import Foundation

/// What stood in the way of a transfer, in the words of the layer that met it.
///
/// It is found under `NSUnderlyingErrorKey` of the `URLError` that a failed task gives.
public struct AFTransportError: Error, CustomNSError, LocalizedError, Sendable, CustomStringConvertible {
  /// libcurl's code (`CURLE_…`), or 0 if the fault was found without libcurl.
  public let curlCode: Int
  /// The value of `errno` of the system call that failed, or 0.
  public let systemErrorCode: Int
  /// What happened, without secrets.
  public let message: String

  /// "AFTransportErrorDomain".
  public static var errorDomain: String { "AFTransportErrorDomain" }
  /// ``curlCode``.
  public var errorCode: Int { curlCode }
  /// ``description``.
  public var errorDescription: String? { description }
  /// ``message`` as it may be shown: control characters are escaped.
  public var description: String { message.printable() }
  /// ``description`` under `NSLocalizedDescriptionKey`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
