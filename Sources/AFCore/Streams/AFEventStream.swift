import AFSupport
import AFTransport
public import Foundation
public import FoundationNetworking

/// The events of a server, over as many connections as it takes (WHATWG HTML, "Server-sent events").
///
///     for try await event in manager.events(for: URLRequest(url: url)) {
///       print(event.type, event.data)
///     }
///
/// The first connection is made when the first event is asked for. When a connection ends, is lost, or is silent for the request's
/// `timeoutInterval`, another is made, which tells the server the last event's ID (`Last-Event-ID`). The sequence ends with status
/// 204, and throws when the server refuses for good or answers with something else. Ending the iteration, or cancelling the Swift
/// task, ends the connection. The server is held back while events are not asked for.
public struct AFEventStream: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = AFServerSentEvent
  /// What the iteration throws.
  public typealias Failure = AFError

  /// How events are received.
  public struct Options: Hashable, Sendable {
    /// Whether a connection that ended is followed by another. Default true.
    public var reconnects = true
    /// Seconds before a reconnection, until the server says otherwise. Doubled for each further connection that brings no event.
    /// Default 3.
    public var reconnectionTime: TimeInterval = 3
    /// The longest time before a reconnection in seconds, whatever the server asks for. Default 60.
    public var maximumReconnectionTime: TimeInterval = 60
    /// How many connections in a row may bring no event before the error is thrown; nil for no limit, the default.
    public var maximumFailures: Int?
    /// Status codes after which a connection is tried again; Retry-After is heeded. Default 429, 500, 502, 503 and 504, which
    /// gateways answer while a server restarts. (A browser gives up after these too.)
    public var retriedStatusCodes: Set<Int> = [429, 500, 502, 503, 504]
    /// The most bytes of a line, and of an event's data; more ends the sequence with ``AFStreamError``. Default 16 MiB.
    public var maximumEventSize = 16 << 20
    /// The ID of the last event that an earlier run has seen, to go on behind it. Default "".
    public var lastEventID = ""

    /// The defaults.
    public init() {}
  }

  private let manager: AFURLSessionManager
  private let request: URLRequest
  private let options: Options

  init(manager: AFURLSessionManager, request: URLRequest, options: Options) {
    self.manager = manager
    self.request = request
    self.options = options
  }

  /// An iterator with connections of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(manager: manager, request: request, options: options) }

  /// An iterator over the events.
  public struct Iterator: AsyncIteratorProtocol {
    private let manager: AFURLSessionManager
    private let request: URLRequest
    private var parser: EventParser
    private var reconnection: EventReconnection
    private var blocks: AFByteStream.Chunks.Iterator?
    private var wait: Double = 0
    private var isOver = false
    /// Thrown once the events before it are given.
    private var failure: AFError?

    fileprivate init(manager: AFURLSessionManager, request: URLRequest, options: Options) {
      self.manager = manager
      self.request = request
      parser = EventParser(lastEventID: options.lastEventID, limit: options.maximumEventSize)
      reconnection = EventReconnection(options)
    }

    /// The next event, or nil when the server has said that there will be none (status 204).
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(AFError) -> AFServerSentEvent? {
      while true {
        if let event = parser.next() {
          reconnection.succeeded()
          return event
        }
        if let failure {
          self.failure = nil
          throw failure
        }
        if isOver { return nil }
        do throws(AFError) {
          try await read()
        } catch {
          lose(error)
        }
      }
    }

    /// The next event, or nil when the server has said that there will be none (status 204).
    public mutating func next() async throws(AFError) -> AFServerSentEvent? { try await next(isolation: #isolation) }

    /// Connects if there is no connection, or takes the next bytes of it.
    private mutating func read() async throws(AFError) {
      guard blocks != nil else {
        try await pause()
        return try await connect()
      }
      guard let block = try await blocks?.next() else { return lose(nil) }
      do {
        try parser.append(block)
      } catch {
        throw AFError(error, request: request)
      }
    }

    private mutating func connect() async throws(AFError) {
      var hop = HopRequest(request)
      if hop.value("Accept") == nil { hop.set("Accept", "text/event-stream") }
      hop.set("Cache-Control", "no-store")
      if !parser.lastEventID.isEmpty { hop.set("Last-Event-ID", parser.lastEventID) }
      let stream = try await manager.stream(.data, hop, validates: false)
      let type = stream.value(forHTTPHeaderField: "Content-Type")
      switch stream.statusCode {
      case 204: isOver = true
      case 200 where type.map(Self.isEventStream) ?? false: blocks = stream.chunks.makeAsyncIterator()
      case 200:
        throw AFError(AFStreamError.notAnEventStream(contentType: type), request: request, response: stream.response)
      default:
        throw AFError(URLError(.badServerResponse), request: request, response: stream.response)
      }
    }

    /// The connection is gone: what comes next, or the error if nothing does.
    private mutating func lose(_ error: AFError?) {
      blocks = nil
      parser.restart()
      let ending = error.map(Self.ending) ?? .closed
      let random = Double.random(in: 0...1)
      guard let delay = reconnection.delay(after: ending, serverTime: parser.reconnectionTime, random: random) else {
        isOver = true
        failure = error
        return
      }
      wait = delay
    }

    private mutating func pause() async throws(AFError) {
      guard wait > 0 else { return }
      defer { wait = 0 }
      do {
        try await Task.sleep(for: .seconds(wait))
      } catch {
        throw AFError(URLError(.cancelled), request: request)
      }
    }

    private static func ending(_ error: AFError) -> EventReconnection.Ending {
      if error.cause is AFStreamError { return .unusable }
      if let status = error.statusCode, !(200..<300).contains(status) {
        let after = RetryAfter.seconds(
          error.response?.value(forHTTPHeaderField: "Retry-After"),
          date: error.response?.value(forHTTPHeaderField: "Date"), now: Date().timeIntervalSince1970)
        return .refused(status: status, retryAfter: after)
      }
      return error.urlError.map { .failed($0.code) } ?? .unusable
    }

    private static func isEventStream(_ field: String) -> Bool {
      field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() == "text/event-stream"
    }
  }
}

extension AFURLSessionManager {
  /// The events that a server sends for a request.
  ///
  /// The manager's response serializer is not asked: the standard says which responses are event streams. Everything else of the
  /// manager (policy, pins, proxy, cookies, credentials) holds. A POST is sent again for each connection.
  /// - Parameters:
  ///   - request: The request. `Accept`, `Cache-Control` and `Last-Event-ID` are added. Its `timeoutInterval` is how long the server
  ///     may be silent before the connection counts as lost; servers send comments to keep it.
  ///   - options: How events are received.
  /// - Returns: The events. Nothing is sent before the first is asked for.
  public func events(for request: URLRequest, options: AFEventStream.Options = .init()) -> AFEventStream {
    AFEventStream(manager: self, request: request, options: options)
  }
}
