import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// An answer as one JSON object: `--output json`. The documentation has its schema, which only grows.
struct AnswerDocument: Encodable {
  let url: String
  let status: Int
  let headers: [String: [String]]
  let trailers: [String: String]
  /// The body, if it is UTF-8.
  let body: String?
  /// The body in Base64, if it is not.
  let bodyBase64: String?
  let metrics: AnswerMetrics?

  init(_ response: AFDataResponse, url: URL) {
    self.url = (response.response?.url ?? url).absoluteString.redactedURL
    status = response.statusCode
    let names = response.response?.allHeaderFields.keys.map { "\($0)" } ?? []
    headers = Dictionary(
      names.map { ($0.lowercased(), response.values(forHTTPHeaderField: $0)) }, uniquingKeysWith: { first, _ in first })
    trailers = response.trailers
    body = String(data: response.data, encoding: .utf8)
    bodyBase64 = body == nil ? response.data.base64EncodedString() : nil
    metrics = response.metrics.map { AnswerMetrics($0) }
  }

  var json: String { JSONLine.text(self) }
}

/// What took how long, in seconds from the beginning.
struct AnswerMetrics: Encodable {
  struct Exchange: Encodable {
    let url: String
    let status: Int?
    let httpVersion: String?
    let remoteAddress: String?
    let remotePort: Int?
    let reusedConnection: Bool
    let proxied: Bool
    let tlsVersion: String?
    let tlsCipher: String?
    let bytesSent: Int64
    let bytesReceived: Int64
    let start: Double?
    let resolved: Double?
    let connected: Double?
    let secured: Double?
    let requestStart: Double?
    let responseStart: Double?
    let end: Double?
  }

  let seconds: Double
  let redirects: Int
  let exchanges: [Exchange]

  init(_ metrics: AFURLSessionTaskMetrics) {
    let begin = metrics.taskInterval.start
    func offset(_ date: Date?) -> Double? { date.map { ($0.timeIntervalSince(begin) * 1e6).rounded() / 1e6 } }
    seconds = (metrics.taskInterval.duration * 1e6).rounded() / 1e6
    redirects = metrics.redirectCount
    exchanges = metrics.transactionMetrics.map { hop in
      Exchange(
        url: hop.request.url?.absoluteString.redactedURL ?? "", status: (hop.response as? HTTPURLResponse)?.statusCode,
        httpVersion: hop.networkProtocolName, remoteAddress: hop.remoteAddress,
        remotePort: hop.remoteAddress == nil ? nil : hop.remotePort, reusedConnection: hop.isReusedConnection,
        proxied: hop.isProxyConnection, tlsVersion: hop.tlsProtocolVersion, tlsCipher: hop.tlsCipherSuite,
        bytesSent: hop.countOfRequestHeaderBytesSent + hop.countOfRequestBodyBytesSent,
        bytesReceived: hop.countOfResponseHeaderBytesReceived + hop.countOfResponseBodyBytesReceived,
        start: offset(hop.fetchStartDate), resolved: offset(hop.domainLookupEndDate),
        connected: offset(hop.secureConnectionStartDate ?? hop.connectEndDate),
        secured: offset(hop.secureConnectionEndDate), requestStart: offset(hop.requestStartDate),
        responseStart: offset(hop.responseStartDate), end: offset(hop.responseEndDate))
    }
  }
}

/// JSON on one line, with members in alphabetical order.
enum JSONLine {
  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}
