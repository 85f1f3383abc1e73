internal import AFSupport
public import Foundation
public import FoundationNetworking

/// Why a response was refused, with the response and its body.
///
/// It is an `NSError` of the domain ``AFURLResponseSerializationErrorDomain`` with AFNetworking's codes and keys, so it
/// passes through an ``NSErrorPointer`` and comes out as itself. When status and content type both were unacceptable, the
/// status error comes first and has the other one under `NSUnderlyingErrorKey`.
///
/// A body of the right type that cannot be parsed gives the parser's own error (`NSCocoaErrorDomain`, `DecodingError`, …)
/// with a status error, if there was one, underneath.
public final class AFURLResponseSerializationError: NSError, @unchecked Sendable {
  // Unchecked because NSError is; what is added is constants of Sendable types.

  /// What was wrong. More may be added.
  public enum Reason: Sendable, Hashable {
    /// The status code is not among the acceptable ones (code -1011).
    case unacceptableStatusCode(Int)
    /// The content type is not among the acceptable ones, or missing (code -1016).
    case unacceptableContentType(String?)
    /// The body is empty where a value is needed (code -1014).
    case emptyBody
    /// The body cannot be read as what its type says (code -1016).
    case undecodableBody(problem: String)
  }

  /// What was wrong.
  public let reason: Reason
  /// The response that was refused.
  public let response: URLResponse?
  /// The body of that response.
  public let data: Data?

  /// The decoder's error, if it was a Swift error, such as a `DecodingError`; as an `NSError` it would lose its type.
  public let cause: (any Error)?

  package init(
    _ reason: Reason,
    response: URLResponse?,
    data: Data?,
    underlyingError: NSError? = nil,
    cause: (any Error)? = nil,
    circumstances: [String: Any] = [:]
  ) {
    self.reason = reason
    self.cause = cause
    self.response = response
    self.data = data
    var info = circumstances
    info[NSLocalizedDescriptionKey] = reason.text
    info[NSURLErrorFailingURLErrorKey] = response?.url
    info[AFNetworkingOperationFailingURLResponseErrorKey] = response
    info[AFNetworkingOperationFailingURLResponseDataErrorKey] = data
    info[NSUnderlyingErrorKey] = underlyingError
    super.init(domain: AFURLResponseSerializationErrorDomain, code: reason.code.rawValue, userInfo: info)
  }

  /// The same error with another body, and with more about its circumstances.
  package func with(data: Data?, _ circumstances: [String: Any] = [:]) -> AFURLResponseSerializationError {
    AFURLResponseSerializationError(
      reason, response: response, data: data, underlyingError: userInfo[NSUnderlyingErrorKey] as? NSError, cause: cause,
      circumstances: circumstances)
  }

  /// One line: what was wrong and the URL, without what is secret in it. Headers and body are in the properties alone.
  public override var description: String { shownDescription }

  /// The same as ``description``.
  public override var debugDescription: String { shownDescription }

  /// Reads an archived error. The reason is told by the code alone.
  public required init?(coder: NSCoder) {
    reason = .undecodableBody(problem: "it was read from an archive")
    response = nil
    data = nil
    cause = nil
    super.init(coder: coder)
  }
}

extension AFURLResponseSerializationError.Reason {
  fileprivate var code: URLError.Code {
    switch self {
    case .unacceptableStatusCode: .badServerResponse
    case .unacceptableContentType, .undecodableBody: .cannotDecodeContentData
    case .emptyBody: .zeroByteResource
    }
  }

  fileprivate var text: String {
    switch self {
    case .unacceptableStatusCode(let code):
      "Request failed: \(HTTPURLResponse.localizedString(forStatusCode: code).lowercased()) (\(code))"
    case .unacceptableContentType(let type):
      "Request failed: unacceptable content-type: \(type?.printable(limit: 200) ?? "none")"
    case .emptyBody: "Request failed: the body of the response is empty"
    case .undecodableBody(let problem): "Request failed: \(problem.printable())"
    }
  }
}
