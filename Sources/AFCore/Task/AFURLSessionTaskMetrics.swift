import AFSupport
import AFTransport
public import Foundation
public import FoundationNetworking

/// What a task took: its time, its redirects, and one entry for each request that was sent or answered from the cache.
open class AFURLSessionTaskMetrics: NSObject, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; everything stored is a Sendable constant.
  private let interval: DateInterval
  private let redirects: Int
  private let transactions: [AFURLSessionTaskTransactionMetrics]

  init(interval: DateInterval, redirects: Int, transactions: [AFURLSessionTaskTransactionMetrics]) {
    self.interval = interval
    self.redirects = redirects
    self.transactions = transactions
  }

  /// From the first `resume()` to the end.
  open var taskInterval: DateInterval { interval }

  /// How many redirects were followed.
  open var redirectCount: Int { redirects }

  /// One entry for each request that was sent or answered from the cache, in order.
  open var transactionMetrics: [AFURLSessionTaskTransactionMetrics] { transactions }
}

/// When what happened in one request and its response, and over which connection.
///
/// Moments that there were not, such as those of connecting on a connection that was used before, are nil.
public final class AFURLSessionTaskTransactionMetrics: NSObject, Sendable {
  /// The request that was sent.
  public let request: URLRequest
  /// Its response, if one came.
  public let response: URLResponse?
  /// When the request was handed to the engine.
  public let fetchStartDate: Date?
  /// When the name was to be resolved.
  public let domainLookupStartDate: Date?
  /// When the name was resolved.
  public let domainLookupEndDate: Date?
  /// When the connection was begun.
  public let connectStartDate: Date?
  /// When the connection stood, TLS included.
  public let connectEndDate: Date?
  /// When the TLS handshake began.
  public let secureConnectionStartDate: Date?
  /// When the TLS handshake was done.
  public let secureConnectionEndDate: Date?
  /// When the request began to be sent.
  public let requestStartDate: Date?
  /// When the first byte of the response came.
  public let responseStartDate: Date?
  /// When the last byte of the response came.
  public let responseEndDate: Date?
  /// Whether the response came over the network or out of the cache.
  public let resourceFetchType: URLSessionTaskMetrics.ResourceFetchType
  /// "http/1.1", "h2", …
  public let networkProtocolName: String?
  /// Whether the connection had been used before.
  public let isReusedConnection: Bool
  /// Whether a proxy stood between.
  public let isProxyConnection: Bool
  /// The address of this end.
  public let localAddress: String?
  /// The port of this end.
  public let localPort: Int
  /// The address of the other end.
  public let remoteAddress: String?
  /// The port of the other end.
  public let remotePort: Int
  /// "TLSv1.3", … ; nil without TLS.
  public let tlsProtocolVersion: String?
  /// OpenSSL's name of the cipher suite; nil without TLS.
  public let tlsCipherSuite: String?
  /// Bytes of the request's head on the wire.
  public let countOfRequestHeaderBytesSent: Int64
  /// Bytes of the request's body on the wire.
  public let countOfRequestBodyBytesSent: Int64
  /// Bytes of the response's head on the wire.
  public let countOfResponseHeaderBytesReceived: Int64
  /// Bytes of the response's body on the wire, before decoding.
  public let countOfResponseBodyBytesReceived: Int64

  init?(_ record: HopRecord) {
    guard let request = record.request.urlRequest else { return nil }
    let metrics = record.metrics ?? TransferMetrics()
    let start = record.end.addingTimeInterval(-Double(metrics.total) / 1e6)
    func moment(_ microseconds: Int64, _ exists: Bool = true) -> Date? {
      exists && microseconds > 0 ? start.addingTimeInterval(Double(microseconds) / 1e6) : nil
    }
    let isNew = !metrics.isReusedConnection
    self.request = request
    response = record.head.flatMap { TaskResponse($0, url: record.request.url) }
    fetchStartDate = start
    domainLookupStartDate = isNew && metrics.nameLookup > 0 ? start : nil
    domainLookupEndDate = moment(metrics.nameLookup, isNew)
    connectStartDate = moment(metrics.nameLookup, isNew)
    connectEndDate = moment(max(metrics.connect, metrics.tlsHandshake), isNew)
    secureConnectionStartDate = moment(metrics.connect, isNew && metrics.tlsHandshake > 0)
    secureConnectionEndDate = moment(metrics.tlsHandshake, isNew)
    requestStartDate = moment(metrics.preTransfer)
    responseStartDate = moment(metrics.firstByte)
    responseEndDate = record.end
    resourceFetchType = record.isFromCache ? .localCache : .networkLoad
    networkProtocolName =
      switch metrics.httpVersion {
      // libcurl's numbers for the versions.
      case 1: "http/1.0"
      case 2: "http/1.1"
      case 3: "h2"
      case 30: "h3"
      default: nil
      }
    isReusedConnection = metrics.isReusedConnection
    isProxyConnection = metrics.isProxied
    localAddress = metrics.localAddress
    localPort = metrics.localPort
    remoteAddress = metrics.remoteAddress
    remotePort = metrics.remotePort
    tlsProtocolVersion = metrics.tlsVersion
    tlsCipherSuite = metrics.tlsCipher
    countOfRequestHeaderBytesSent = metrics.requestHeaderBytes
    countOfRequestBodyBytesSent = metrics.requestBodyBytes
    countOfResponseHeaderBytesReceived = metrics.responseHeaderBytes
    countOfResponseBodyBytesReceived = metrics.responseBodyBytes
    super.init()
  }
}

extension TaskCore {
  /// The metrics so far; nil if the task collects none, or nothing was sent.
  var metrics: AFURLSessionTaskMetrics? {
    let (hops, redirects, begin) = state.withLock { ($0.record.hops, $0.ledger.redirects, $0.record.began) }
    guard let last = hops.last else { return nil }
    let start = begin ?? last.end
    return AFURLSessionTaskMetrics(
      interval: DateInterval(start: min(start, last.end), end: last.end), redirects: redirects,
      transactions: hops.compactMap(AFURLSessionTaskTransactionMetrics.init))
  }

  /// The metrics of a task that has sent nothing, because it was cancelled or refused before.
  var emptyMetrics: AFURLSessionTaskMetrics {
    let now = Date()
    let begin = state.withLock { $0.record.began } ?? now
    return AFURLSessionTaskMetrics(
      interval: DateInterval(start: min(begin, now), end: now), redirects: 0, transactions: [])
  }
}
