import Foundation
import FoundationNetworking
import Testing

@testable import AFTransfer

/// RFC 9110 §9.2.2: an idempotent request may be sent again; another must not be, once it may have been processed.
@Suite struct RetryRuleTests {
  private static func decide(
    _ cause: AttemptFailure.Cause, processed: Bool = false, repeatable: Bool = true, attempts: Int = 1,
    serverErrors: Int = 0, retryAfter: TimeInterval? = nil
  ) -> RetryDecision {
    RetryRule.decide(
      AttemptFailure(cause, "", mayHaveBeenProcessed: processed, retryAfter: retryAfter), isRepeatable: repeatable,
      attempts: attempts, serverErrors: serverErrors, AFTransferRetryPolicy())
  }

  @Test(
    arguments: [
      (.network, .backOff(.backoff)), (.interrupted, .queue), (.trust, .wait(.trust, 60)),
      (.credentials, .wait(.credentials, 60)), (.policy, .wait(.policy, 60)), (.diskSpace, .wait(.diskSpace, 30)),
      (.interface, .wait(.interface, 30)), (.locked, .wait(.locked, 2)), (.sourceMissing, .fail(.sourceMissing)),
      (.sourceChanged, .fail(.sourceChanged)), (.cannotWrite, .fail(.cannotWrite)), (.mismatch, .fail(.digestMismatch)),
      (.notSupported, .fail(.notSupported)), (.vanished, .backOff(.backoff)),
    ] as [(AttemptFailure.Cause, RetryDecision)])
  func `what stands in the way of a request that may be sent again`(cause: AttemptFailure.Cause, wanted: RetryDecision)
  {
    #expect(Self.decide(cause) == wanted)
  }

  @Test(
    arguments: [
      (300, .fail(.rejected)), (301, .fail(.rejected)), (304, .fail(.rejected)), (400, .fail(.rejected)),
      (401, .wait(.credentials, 60)), (403, .fail(.rejected)), (404, .fail(.rejected)), (407, .wait(.credentials, 60)),
      (408, .backOff(.backoff)), (409, .fail(.rejected)), (410, .fail(.rejected)), (413, .fail(.rejected)),
      (423, .wait(.locked, 2)), (425, .backOff(.backoff)), (429, .backOff(.backoff)), (500, .backOff(.backoff)),
      (502, .backOff(.backoff)), (503, .backOff(.backoff)), (504, .backOff(.backoff)), (507, .backOff(.backoff)),
      (599, .backOff(.backoff)),
    ] as [(Int, RetryDecision)])
  func `answers to a request that may be sent again`(status: Int, wanted: RetryDecision) {
    #expect(Self.decide(.status(status), processed: true) == wanted)
    // The server's own wish has its own name.
    if [429, 503].contains(status) {
      #expect(Self.decide(.status(status), processed: true, retryAfter: 5) == .backOff(.retryAfter))
    }
  }

  @Test(
    arguments: [
      (.network, true, .doubt), (.network, false, .backOff(.backoff)), (.interrupted, true, .doubt),
      (.interrupted, false, .queue), (.vanished, true, .doubt), (.vanished, false, .doubt),
      (.status(500), true, .doubt),
      (.status(502), true, .doubt), (.status(503), true, .doubt), (.status(504), true, .doubt),
      (.status(429), true, .backOff(.backoff)), (.status(408), true, .backOff(.backoff)),
      (.status(425), true, .backOff(.backoff)), (.status(401), true, .wait(.credentials, 60)),
      (.status(400), true, .fail(.rejected)), (.status(403), true, .fail(.rejected)),
      (.trust, false, .wait(.trust, 60)),
    ] as [(AttemptFailure.Cause, Bool, RetryDecision)])
  func `a request that must not be sent twice`(cause: AttemptFailure.Cause, processed: Bool, wanted: RetryDecision) {
    #expect(Self.decide(cause, processed: processed, repeatable: false) == wanted)
  }

  @Test func `one transfer that the server fails alone is given up after 20 answers`() {
    #expect(Self.decide(.status(500), serverErrors: 19) == .backOff(.backoff))
    #expect(Self.decide(.status(500), serverErrors: 20) == .fail(.gaveUp))
  }

  @Test func `waits of one transfer double up to their limits`() {
    #expect(
      (1...9).map { Self.decide(.trust, attempts: $0) }.compactMap(Self.seconds) == [
        60, 120, 240, 480, 960, 1920, 3600, 3600, 3600,
      ])
    #expect(
      (1...8).map { Self.decide(.locked, attempts: $0) }.compactMap(Self.seconds) == [2, 4, 8, 16, 32, 60, 60, 60])
    #expect(Self.decide(.trust, attempts: .max) == .wait(.trust, 3600))
    #expect(Self.decide(.locked, attempts: .min) == .wait(.locked, 2))
  }

  private static func seconds(_ decision: RetryDecision) -> TimeInterval? {
    if case .wait(_, let seconds) = decision { seconds } else { nil }
  }

  @Test(
    arguments: [
      (.upload, "PUT", .once, false, true), (.upload, "DELETE", .once, false, true),
      (.upload, "POST", .once, false, false),
      (.upload, "PATCH", .once, false, false), (.upload, "put", .once, false, false),
      (.upload, "POST", .atLeastOnce, false, true),
      (.upload, "POST", .once, true, true), (.download, "PUT", .once, false, true),
    ] as [(AFTransferRequest.Kind, String, AFTransferRequest.Delivery, Bool, Bool)])
  func `which requests may be sent again`(
    kind: AFTransferRequest.Kind, method: String, delivery: AFTransferRequest.Delivery, key: Bool, wanted: Bool
  ) throws {
    var request = AFTransferRequest(
      kind: kind, url: try #require(URL(string: "https://example.com")), file: URL(fileURLWithPath: "/f"))
    request.method = method
    request.delivery = delivery
    request.usesIdempotencyKey = key
    #expect(request.isRepeatable == wanted)
  }

  /// A POST that one of these says was not sent is sent again without a question.
  @Test(
    arguments: [
      (.cannotFindHost, 6, true), (.cannotConnectToHost, 7, true), (.dnsLookupFailed, 6, true),
      (.notConnectedToInternet, nil, true), (.serverCertificateUntrusted, nil, true), (.badURL, 3, true),
      (.resourceUnavailable, nil, true), (.secureConnectionFailed, 35, true),
      // An alert after the handshake, when the request may have been read: while sending, while receiving, of unknown origin.
      (.secureConnectionFailed, 55, false), (.secureConnectionFailed, 56, false), (.secureConnectionFailed, nil, false),
      (.timedOut, 28, false), (.networkConnectionLost, 52, false), (.networkConnectionLost, 56, false),
      (.badServerResponse, 1, false), (.cannotParseResponse, nil, false), (.cannotDecodeContentData, 61, false),
      (.dataLengthExceedsMaximum, nil, false), (.requestBodyStreamExhausted, nil, false), (.cancelled, nil, false),
      (.unknown, nil, false),
    ] as [(URLError.Code, Int?, Bool)])
  func `only what fails before the first byte counts as not sent`(code: URLError.Code, curlCode: Int?, isEarly: Bool) {
    #expect(AttemptFailure.isEarly(code, curlCode: curlCode) == isEarly)
  }
}
