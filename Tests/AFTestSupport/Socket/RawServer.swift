package import Foundation

/// A TCP (or TLS) server that says the very bytes its script says. For what a sound HTTP server never sends.
///
///     let server = try RawServer { connection in
///       _ = try connection.read(through: "\r\n\r\n")
///       try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nAAAAAAAAAA")
///       try connection.close()
///     }
package final class RawServer: Sendable {
  package let listener: TestListener

  package init(
    _ options: ListenerOptions = ListenerOptions(), file: String = #fileID, line: Int = #line,
    script: @escaping @Sendable (TestConnection) throws -> Void
  ) throws {
    listener = try TestListener(options, place: SourcePlace(file: file, line: line), script: script)
  }

  deinit { listener.shutDown() }

  package var port: UInt16 { listener.port }
  package var connections: [ConnectionRecord] { listener.connections }
  package var acceptCount: Int { listener.acceptCount }

  package func url(_ path: String = "") -> URL {
    listener.url(path, host: nil)
  }

  /// Ends the server and waits for it.
  /// - Throws: ``TestServerFailure`` if anything went wrong in it.
  package func stop() throws { try listener.stop() }
}

extension TestListener {
  /// The URL of a path here; `host` puts a name in the address's place.
  func url(_ path: String, host: String?) -> URL {
    let name = host ?? (options.host.contains(":") ? "[\(options.host)]" : options.host)
    let separator = path.hasPrefix("/") ? "" : "/"
    let text = "\(options.tls == nil ? "http" : "https")://\(name):\(port)\(separator)\(path)"
    guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
    return url
  }
}
