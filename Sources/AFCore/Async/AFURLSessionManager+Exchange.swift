import AFSupport
public import Foundation
public import FoundationNetworking

extension AFURLSessionManager {
  /// Sends a body piece by piece, and gives the response as soon as its head is there, while the body is still being sent: a
  /// conversation over one request, with a server that answers before it has heard all.
  ///
  ///     let echo = try await manager.stream(for: request, sending: lines)
  ///     for try await chunk in echo.chunks { … }
  ///
  /// Both directions are held back by who is slower: about 256 KiB of the body wait to be sent, and 1 MiB of the response to be
  /// read. Over HTTP/2 the request is a stream of the origin's one connection; with a libcurl before 8.0 (Debian 12's) it goes over
  /// HTTP/1.1, in chunks unless `length` is given, and has a connection of its own. Servers and proxies that gather a request
  /// before they answer, as nginx does by default, make one exchange after the other of it.
  ///
  /// The body is sent once. Where it would be needed again once it has begun (a redirect that keeps it, a challenge, a connection
  /// that dies) the call throws `URLError.requestBodyStreamExhausted`, or the response itself comes. Silence in both directions for
  /// the request's timeout ends it, also while `body` has nothing to give. When the response ends, or is let go, the rest of the
  /// body is not sent.
  /// - Parameters:
  ///   - request: The request, without a body. Its method is usually POST.
  ///   - body: The pieces, in order. It is asked for the next as soon as there is room, by a task that is cancelled with the request.
  ///     Its error fails the request.
  ///   - length: The body's length in bytes, so that `Content-Length` can be sent: no more are sent, and an end before fails the request.
  ///     nil if unknown.
  /// - Returns: The response, whose status code the response serializer accepts.
  /// - Throws: ``AFError``.
  public func stream<Body: AsyncSequence & Sendable>(
    for request: URLRequest, sending body: Body, length: Int64? = nil
  ) async throws(AFError) -> AFByteStream where Body.Element: DataProtocol {
    var hop = HopRequest(request)
    if let length { hop.set("Content-Length", "\(max(0, length))") } else { hop.remove(["Content-Length"]) }
    hop.body = .stream(
      StreamBody(once: { length in
        ChannelBodyReader(length: length, isReplayable: false) { sink in
          for try await piece in body { try await sink.write(piece) }
        }
      }))
    hop.endsBodyWithAnswer = true
    return try await stream(.upload, hop)
  }
}
