import AFSupport

/// The HTTP/1.1 conversation on one connection of a ``TestServer``.
struct ServerConnection {
  let connection: TestConnection
  let options: TestServer.Options
  let log: RequestLog
  let handler: TestServer.Handler

  init(
    _ connection: TestConnection, options: TestServer.Options, log: RequestLog, handler: @escaping TestServer.Handler
  ) {
    self.connection = connection
    self.options = options
    self.log = log
    self.handler = handler
  }

  func serve() throws {
    var index = 0
    while let head = try readHead() {
      connection.shared.update { $0.requestCount += 1 }
      guard try answer(head, index: index) else { try connection.close() }
      index += 1
      if index >= options.requestsPerConnection { try connection.close() }
    }
  }

  /// The next request's head, or nil when the client has closed between requests.
  private func readHead() throws -> RequestHead? {
    if let timeout = options.idleTimeout, connection.buffered.isEmpty, try !connection.waitForBytes(timeout) {
      try connection.close()
    }
    do {
      return try connection.read(through: "\r\n\r\n").map(RequestHead.init)
    } catch ConnectionEnd.misuse(let text) {
      try? TestResponse(400).write(to: connection, isHead: false, closes: true)
      if options.reportsMalformedRequests { throw ConnectionEnd.misuse(text) }
      try connection.close()
    }
  }

  /// Returns whether the connection goes on.
  private func answer(_ head: RequestHead, index: Int) throws -> Bool {
    let reader = RequestBodyReader(
      head: head, connection: connection, keptSize: options.records ? options.keptBodySize : 0,
      hashes: options.digestsBodies, sendsContinue: options.sendsContinue)
    let place = log.begin(head, connection: connection.index, index: index)
    let record = { [unowned reader] in if let place { log.update(place, from: reader) } }
    defer { record() }
    reader.willPerform = record

    let request = TestRequest(head: head, connection: connection, indexOnConnection: index, reader: reader)
    let response: TestResponse
    do {
      response = try handler(request)
    } catch let end as ConnectionEnd {
      throw end
    } catch {
      // The client gets an answer, so that the test ends soon; stop() tells why.
      try? TestResponse(500).write(to: connection, isHead: false, closes: true)
      throw error
    }

    reader.faults = response.faults.compactMap { fault in
      if case .requestBody(let count) = fault.moment { (count, fault.effect) } else { nil }
    }.sorted { $0.after < $1.after }
    let leavesBody = if case .ignore = response.requestBody { !reader.isComplete } else { false }
    let closes = response.closes || response.needsClose || head.closes || leavesBody
    if case .readFirst = response.requestBody { try reader.readAll() }
    // The record is whole before the answer goes out: a test that has its answer may look.
    record()
    let isRaw = if case .raw = response.body { true } else { false }
    try response.write(to: connection, isHead: head.method == "HEAD", closes: isRaw ? false : closes)
    if case .readAfterwards = response.requestBody { try reader.readAll() }
    if leavesBody { try connection.perform(.finishSending) }
    return isRaw ? !response.closes : !closes
  }
}
