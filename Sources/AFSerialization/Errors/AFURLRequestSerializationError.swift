internal import AFSupport
public import Foundation
package import FoundationNetworking

/// Why a request cannot be made: what was wrong, and where.
///
/// It is an `NSError` of the domain ``AFURLRequestSerializationErrorDomain``, so it passes through an ``NSErrorPointer``
/// and comes out as itself: `error as? AFURLRequestSerializationError` works on either side. (On Linux a Swift error that
/// is bridged to `NSError` cannot be cast back.) An error of a custom query block, of a coder, or of Foundation's writers is
/// not wrapped; you get that one.
public final class AFURLRequestSerializationError: NSError, @unchecked Sendable {
  // Unchecked because NSError is; what is added is a constant of a Sendable type.

  /// What was wrong. More may be added.
  public enum Reason: Sendable, Hashable {
    /// The text is not a URL (code -1000).
    case invalidURL(String)
    /// The query cannot be added to the URL (code -1000).
    case invalidQuery(String)
    /// The method is not a token, as RFC 9110 §9.1 asks (code -1016).
    case invalidMethod(String)
    /// The name of a header field is not a token, as RFC 9110 §5.1 asks (code -1016).
    case invalidHeaderName(String)
    /// The value of the named header field holds CR, LF or NUL (code -1016).
    case invalidHeaderValue(field: String)
    /// The value at this place in the parameters cannot be expressed (code -1016).
    case invalidParameter(path: String, problem: String)
    /// The body cannot be written in the serializer's `stringEncoding` (code -1016).
    case unencodableText(encoding: UInt)
    /// A multipart form cannot be sent with this method (code -1016).
    case methodWithoutBody(String)
    /// The request has no multipart body to write to a file (code -1016).
    case missingBodyStream
    /// The body stream could not be read, and gave no reason (code -1016).
    case unreadableBodyStream
    /// The destination is not a file URL (code -1000).
    case notFileURL(String)
    /// `request(bySerializingRequest:withParameters:error:)` gave no request and no error (code -1).
    case unexplained
  }

  /// What was wrong.
  public let reason: Reason

  package init(_ reason: Reason, failureReason: String? = nil, request: URLRequest? = nil) {
    self.reason = reason
    var info: [String: Any] = [:]
    let text = reason.text
    info[NSLocalizedDescriptionKey] = text
    info[NSLocalizedFailureReasonErrorKey] = failureReason ?? text
    info[AFNetworkingOperationFailingURLRequestErrorKey] = request
    info[NSURLErrorFailingURLErrorKey] = request?.url
    super.init(domain: AFURLRequestSerializationErrorDomain, code: reason.code.rawValue, userInfo: info)
  }

  convenience init(_ fault: HTTPHeaderFault, request: URLRequest? = nil) {
    switch fault {
    case .method(let method): self.init(.invalidMethod(method), request: request)
    case .fieldName(let name): self.init(.invalidHeaderName(name), request: request)
    case .fieldValue(let name, _): self.init(.invalidHeaderValue(field: name), request: request)
    }
  }

  /// One line: what was wrong and the URL, without what is secret in it. The request is in the user info alone.
  public override var description: String { shownDescription }

  /// The same as ``description``.
  public override var debugDescription: String { shownDescription }

  /// Reads an archived error; ``reason-swift.property`` is then ``Reason-swift.enum/unexplained``, the rest is as it was.
  public required init?(coder: NSCoder) {
    reason = .unexplained
    super.init(coder: coder)
  }
}

extension AFURLRequestSerializationError.Reason {
  fileprivate var code: URLError.Code {
    switch self {
    case .invalidURL, .invalidQuery, .notFileURL: .badURL
    case .unexplained: .unknown
    case .invalidMethod, .invalidHeaderName, .invalidHeaderValue, .invalidParameter, .unencodableText,
      .methodWithoutBody, .missingBodyStream, .unreadableBodyStream:
      // "Cannot decode content data": AFNetworking's choice for parameters that are not JSON, kept for all of their kind.
      .cannotDecodeContentData
    }
  }

  fileprivate var text: String {
    switch self {
    case .invalidURL(let text): "\(Self.quoted(text.redactedURL)) is not a URL."
    case .invalidQuery: "The query cannot be part of a URL."
    case .invalidMethod(let method): "\(Self.quoted(method)) is not an HTTP method."
    case .invalidHeaderName(let name): "\(Self.quoted(name)) is not the name of a header field."
    case .invalidHeaderValue(let field): "The value of the header field \(Self.quoted(field)) holds CR, LF or NUL."
    case .invalidParameter("", let problem): "The parameters \(problem)."
    case .invalidParameter(let path, let problem): "The parameter \(Self.quoted(path)) \(problem)."
    case .unencodableText(let encoding): "The body cannot be written in the string encoding \(encoding)."
    case .methodWithoutBody(let method): "A multipart form cannot be sent with \(method)."
    case .missingBodyStream: "The request has no body stream."
    case .unreadableBodyStream: "The body stream could not be read."
    case .notFileURL(let url): "\(Self.quoted(url.redactedURL)) is not a file URL."
    case .unexplained: "The serializer gave neither a request nor an error."
    }
  }

  /// Text from elsewhere as it may stand in a message: no control characters, no megabytes.
  private static func quoted(_ text: String) -> String {
    "\"\(text.printable(limit: 200))\""
  }
}
