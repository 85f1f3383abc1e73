package import Foundation
import AFSupport

/// An HTTP/1.1 server in this process, on a loopback port, for tests, the quickstart and the benchmarks.
///
///     try await withTestServer(handler: { request in try .echo(request) }) { server in
///       // … talk to server.url("greeting"), then look at server.requests
///     }
///
/// It records what arrives, byte for byte, and keeps quiet about nothing: what goes wrong in the server, in a handler, or in
/// the framing of what a client sends is thrown by ``stop()``. A client that goes away early is not a failure: tests do that
/// on purpose, and the connection's record tells.
package final class TestServer: Sendable {
  package typealias Handler = @Sendable (TestRequest) throws -> TestResponse

  package let listener: TestListener
  private let log: RequestLog

  /// Listens from here on. The handler runs when the head of a request has arrived, on the connection's own thread: it may
  /// block, and it reads the body if it wants it.
  package init(
    _ options: Options = Options(), file: String = #fileID, line: Int = #line, handler: @escaping Handler
  ) throws {
    let log = RequestLog(options)
    self.log = log
    listener = try TestListener(options.listener, place: SourcePlace(file: file, line: line)) { connection in
      try ServerConnection(connection, options: options, log: log, handler: handler).serve()
    }
  }

  /// A server with a handler for each path; another path is answered with 404.
  package convenience init(
    _ options: Options = Options(), file: String = #fileID, line: Int = #line, routes: [String: Handler]
  ) throws {
    try self.init(options, file: file, line: line) { request in
      try routes[request.path]?(request) ?? .text("no route for \(request.path)", status: 404)
    }
  }

  /// A server that gives these answers, one for each request, whatever it is; a further request is a failure.
  package convenience init(
    _ options: Options = Options(), file: String = #fileID, line: Int = #line, script: [TestResponse]
  ) throws {
    let next = Locked(0)
    try self.init(options, file: file, line: line) { request in
      let index = next.withLock { index in
        defer { index += 1 }
        return index
      }
      guard index < script.count else {
        let name = "request \(index + 1), \(request.method) \(request.target),"
        throw TestServerFailure(messages: ["\(name) is not in the script"])
      }
      return script[index]
    }
  }

  deinit {
    listener.shutDown()
    // A server that nobody stopped must not swallow what went wrong.
    let failures = listener.failures
    if !failures.isEmpty { preconditionFailure(TestServerFailure(messages: failures).description) }
  }

  package struct Options: Sendable {
    package var listener: ListenerOptions
    /// Bytes of each request body that are kept in its record.
    package var keptBodySize = 1 << 20
    /// Whether request bodies are digested (SHA-256).
    package var digestsBodies = true
    /// Whether requests are recorded at all; benchmarks switch it off.
    package var records = true
    /// Whether `Expect: 100-continue` is answered when the body is wanted.
    package var sendsContinue = true
    /// Closes each connection, unannounced, after so many answers.
    package var requestsPerConnection = Int.max
    /// Closes a connection, unannounced, after so many seconds without a request.
    package var idleTimeout: Double?
    /// Whether a request that breaks the framing rules is a failure of the test.
    package var reportsMalformedRequests = true

    package init(tls: TestTLS? = nil) {
      listener = ListenerOptions(tls: tls)
    }
  }

  package var port: UInt16 { listener.port }

  /// `http://127.0.0.1:port/path`, or https; `host` puts a name in the address's place.
  package func url(_ path: String = "", host: String? = nil) -> URL {
    listener.url(path, host: host)
  }

  /// The requests so far, in the order in which their heads arrived.
  package var requests: [RecordedRequest] { log.requests }
  /// Also counts where `records` is off.
  package var requestCount: Int { log.count }
  package var connections: [ConnectionRecord] { listener.connections }
  package var acceptCount: Int { listener.acceptCount }
  package var openConnectionCount: Int { listener.openConnectionCount }
  package var failures: [String] { listener.failures }

  /// Closes every connection and goes on listening.
  package func dropConnections() { listener.dropConnections() }

  /// Ends the server and waits for it.
  /// - Throws: ``TestServerFailure`` if anything went wrong in it.
  package func stop() throws { try listener.stop() }
}

/// Runs `body` with a server, stops the server, and throws what went wrong in either; the server's failures come first, since
/// they explain the others.
package func withTestServer<Result>(
  _ options: TestServer.Options = .init(), file: String = #fileID, line: Int = #line,
  handler: @escaping TestServer.Handler, _ body: (TestServer) async throws -> Result
) async throws -> Result {
  let server = try TestServer(options, file: file, line: line, handler: handler)
  let result: Result
  do {
    result = try await body(server)
  } catch {
    try server.stop()
    throw error
  }
  try server.stop()
  return result
}
