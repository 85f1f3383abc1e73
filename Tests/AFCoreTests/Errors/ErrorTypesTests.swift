import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore
@testable import AFMultipart
@testable import AFReachability
@testable import AFSecurity
@testable import AFSerialization
@testable import AFTransport

/// F70 F71: every error type of the package, with a secret and control characters in every text that it holds, shows neither.
///
/// The types are read from the sources, so that a new one is noticed here.
@Suite struct ErrorTypesTests {
  private static let secret = "S3CRET"
  private static let hostile = "\u{1B}]0;owned\u{7}\r\n\u{202E}"
  /// What comes from outside and is no secret.
  private static let text = "outside \(hostile)"
  private static let url = "http://user:\(secret)@h/p?token=\(secret)&page=2#id_token=\(secret)"

  private struct Foreign: Error { var secret = ErrorTypesTests.secret }

  private static func request() throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
    request.httpBody = Data(secret.utf8)
    return request
  }

  private static func response() throws -> HTTPURLResponse {
    let url = try #require(URL(string: url))
    return try #require(
      HTTPURLResponse(
        url: url, statusCode: 401, httpVersion: nil,
        headerFields: ["Set-Cookie": "sid=\(secret)", "X-Auth-Token": secret]))
  }

  /// An example of each kind of error by the name of its type.
  private static func samples() throws -> [String: [any Error]] {
    let (request, response, body) = (try request(), try response(), Data(secret.utf8))
    let foundation = NSError(
      domain: "d", code: 1, userInfo: [NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url])
    var transfer = TransferFailure(kind: .proxyRefused, message: text, underlying: Foreign())
    transfer.proxyHead = ResponseHead(status: 407, fields: [("Set-Cookie", secret)])
    transfer.peer = PeerTrust(host: text, port: 1, chain: [body])
    let file = URL(fileURLWithPath: "/\(hostile)")
    let multipart = AFMultipartError(
      .readFailed, reason: text, partName: text, partIndex: 1, fileURL: file, underlyingError: foundation)
    let policy = AFInvalidSecurityPolicyError(mode: .publicKey, baseURL: URL(string: url))
    var security = AFSecurityError(.hostMismatch, text)
    security.host = text
    let serialization: [AFURLRequestSerializationError.Reason] = [
      .invalidURL(url + hostile), .invalidQuery("token=\(secret)\(hostile)"), .invalidMethod(text),
      .invalidHeaderName(text), .invalidHeaderValue(field: text), .invalidParameter(path: text, problem: "is odd"),
      .unencodableText(encoding: 1), .methodWithoutBody("M"), .missingBodyStream, .unreadableBodyStream,
      .notFileURL(url + hostile), .unexplained,
    ]
    let refusals: [AFURLResponseSerializationError.Reason] = [
      .unacceptableStatusCode(401), .unacceptableContentType(text), .emptyBody, .undecodableBody(problem: text),
    ]
    return [
      "AFSecurityError": [security, security.prefixed(with: hostile)],
      "VerifyFailure": [VerifyFailure(error: 1, depth: 0, path: [])],
      "AFBearerAuthenticationError": [
        AFBearerAuthenticationError.refused, AFBearerAuthenticationError.timedOut,
        AFBearerAuthenticationError.malformedToken, AFBearerAuthenticationError.noToken,
      ],
      "AFInvalidSecurityPolicyError": [policy],
      "AFChallengeHandlerError": [AFChallengeHandlerError(secret)],
      "AFSecurityVerdictError": [AFSecurityVerdictError()],
      "AFError": [
        AFError(policy, request: request, response: response, data: body, value: secret, resumeData: body),
        AFError(multipart, request: request), AFError(foundation, request: request), AFError(transfer),
        AFError(URLError.make(transfer, url: url), request: request, response: response, data: body),
      ],
      "AFStreamError": [
        AFStreamError.lineTooLong(limit: 1), AFStreamError.eventTooLarge(limit: 1),
        AFStreamError.undecodableLine(number: 1, reason: text), AFStreamError.notAnEventStream(contentType: text),
        AFStreamError.notAnEventStream(contentType: nil),
      ],
      "AFTransportError": [AFTransportError(curlCode: 1, systemErrorCode: 2, message: text)],
      "Spent": [StreamBody.Spent()],
      "AFDigestProofError": [AFDigestProofError(), AFDigestProofError().urlError(url)],
      "AFProxyRefusalError": [
        AFProxyRefusalError(proxy: url + hostile, statusCode: 407),
        AFProxyRefusalError(proxy: url + hostile, statusCode: nil),
      ],
      "CookieRefusal": [CookieRefusal.empty],
      "NoRoomForDocument": [NoRoomForDocument()],
      "ReaderError": [
        ReaderError(
          domain: "d", code: 1,
          userInfo: [
            NSURLErrorFailingURLErrorKey: URL(string: url) as Any, NSLocalizedDescriptionKey: text,
            AFNetworkingOperationFailingURLResponseErrorKey: response,
            AFNetworkingOperationFailingURLResponseDataErrorKey: body,
          ])
      ],
      "AFURLResponseSerializationError": refusals.map {
        AFURLResponseSerializationError($0, response: response, data: body, cause: Foreign())
      },
      "AFURLRequestSerializationError": serialization.map {
        AFURLRequestSerializationError($0, request: request)
      },
      "FileBodyError": [
        FileBodyError.notRegular(path: text), FileBodyError.outOfRange(path: text, offset: 1, length: 2, size: 3),
        FileBodyError.shrank(path: text, expected: 1, actual: 0), FileBodyError.unknownLength(path: text, limit: 1),
      ],
      "StreamBodyError": [
        StreamBodyError.missing, StreamBodyError.failed(foundation),
        StreamBodyError.failed(URLError(.badURL, userInfo: foundation.userInfo)),
        StreamBodyError.closed, StreamBodyError.endedEarly(expected: 1, actual: 0), StreamBodyError.notReplayable,
        StreamBodyError.negativeLength(-1),
      ],
      "HTTPHeaderFault": [
        HTTPHeaderFault.method(text), HTTPHeaderFault.fieldName(text), HTTPHeaderFault.fieldValue(name: text, byte: 13),
      ],
      "POSIXFailure": [POSIXFailure(call: "open", path: text, code: 2), POSIXFailure(call: "open", code: 2)],
      "FramingProblem": [FramingProblem("words").failure],
      "ReadTwice": [StreamSink.ReadTwice()],
      "TransferFailure": [transfer, URLError.make(transfer, url: url)],
      "AFMultipartError": [
        multipart, AFMultipartError(wrapping: foundation, partName: text),
        AFMultipartError(wrapping: POSIXFailure(call: "open", path: text, code: 2), partName: text, partIndex: 2),
        AFMultipartError(wrapping: multipart, partIndex: 2, fileURL: file),
      ],
      "NetlinkFormatError": [NetlinkFormatError.prefixLength(1)],
      "AFReachabilityError": [
        AFReachabilityError.nameNotResolved(name: text, reason: text), AFReachabilityError.noSuchInterface(name: text),
        AFReachabilityError.invalidTarget(text), AFReachabilityError.netlinkUnavailable(call: "bind", code: 1),
        AFReachabilityError.timedOut(seconds: 1, status: .unknown),
      ],
    ]
  }

  /// Of modules that this target does not see, and of the tool: they go through `printable()` too.
  private static let elsewhere: Set = [
    "AFImageError", "AFOperationError", "AFTransferError", "AFTransferStoreError", "ArgumentError", "AttemptFailure",
    "ConnectFailure", "SQLiteFailure", "ToolFailure",
  ]

  private static func declared() throws -> Set<String> {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
    let declaration =
      /(?:class|struct|enum)\s+(\w+)\s*:\s*(?:[^{]*[\s,])?(?:any )?(?:Error|NSError|LocalizedError|CustomNSError)[\s,{]/
    var names: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let source = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
      for line in source.split(separator: "\n") {
        if let match = (line + " ").firstMatch(of: declaration) { names.insert(String(match.1)) }
      }
    }
    return names
  }

  @Test func `F71 every error type in the sources has an example here`() throws {
    let declared = try Self.declared()
    #expect(declared.count > 25)
    #expect(Set(try Self.samples().keys).union(Self.elsewhere) == declared)
  }

  @Test func `F70 F71 no error shows a secret or a control character, however it is turned into text`() throws {
    for (name, errors) in try Self.samples() {
      for error in errors {
        let bridged = error as NSError
        var texts = [
          "\(error)", String(describing: error), String(reflecting: error), error.localizedDescription, error.shownText,
          bridged.localizedDescription,
        ]
        if let error = error as? any LocalizedError {
          texts += [error.failureReason ?? "", error.errorDescription ?? ""]
        }
        for text in texts {
          #expect(!text.contains(Self.secret), "\(name): \(text)")
          let controls = text.unicodeScalars.filter { "\u{1B}\u{7}\r\n\u{202E}".unicodeScalars.contains($0) }
          #expect(controls.isEmpty, "\(name): \(text.debugDescription)")
        }
      }
    }
  }
}
