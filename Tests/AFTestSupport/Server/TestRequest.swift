import AFSupport

/// A request whose head has arrived, as a handler sees it. Its body is read from the connection when the handler asks for it.
///
/// Lives on the connection's thread. What fails here throws a ``ConnectionEnd``; let it pass through.
package final class TestRequest {
  package let head: RequestHead
  package let connection: TestConnection
  /// Its place among the requests of its connection.
  package let indexOnConnection: Int
  private let reader: RequestBodyReader

  init(head: RequestHead, connection: TestConnection, indexOnConnection: Int, reader: RequestBodyReader) {
    self.head = head
    self.connection = connection
    self.indexOnConnection = indexOnConnection
    self.reader = reader
  }

  package var method: String { head.method }
  package var target: String { head.target }
  package var path: String { head.path }
  package var query: String? { head.query }
  package func value(_ name: String) -> String? { head.value(name) }

  /// The whole body. Beyond the server's `keptBodySize` it is a failure to ask for it.
  package func body() throws -> [UInt8] {
    try reader.readAll()
    guard reader.count <= Int64(reader.keptSize) else {
      throw TestServerFailure(messages: ["a body of \(reader.count) bytes was asked for and not kept"])
    }
    return reader.kept
  }

  /// Reads the body up to this many bytes, or to its end. More may have been taken off the wire.
  package func readBody(upTo count: Int64) throws {
    while reader.count < count, try reader.readSome() {}
  }

  /// Reads the whole body, and hands it to `consume` piece by piece: for bodies of any size.
  package func readBody(_ consume: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
    reader.consume = consume
    defer { reader.consume = nil }
    try reader.readAll()
  }

  /// The digest of the whole body, in lower case hex.
  package func bodySHA256() throws -> String? {
    try reader.readAll()
    return reader.digest
  }

  /// Bytes of the body that have been read so far.
  package var bodyCount: Int64 { reader.count }

  /// Sends an interim response: 100 to 199.
  package func sendInterim(_ status: Int, headers: [(name: String, value: String)] = []) throws {
    if status == 100 { reader.needsContinue = false }
    let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    try connection.send("HTTP/1.1 \(status) \(reasonPhrase(status))\r\n\(lines)\r\n")
  }
}
