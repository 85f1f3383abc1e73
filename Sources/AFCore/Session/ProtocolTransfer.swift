import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// A hop that a `URLProtocol` of the configuration carries out in the engine's place: how users stub a server.
final class ProtocolTransfer: NSObject, URLProtocolClient, @unchecked Sendable {
  // Unchecked because NSObject and URLProtocol are not Sendable: what is stored is a constant, but for the loader, which is
  // only touched on the transfer's queue.
  private let transfer: LocalTransfer
  private let task: TaskCore
  private let request: URLRequest
  private let cached: CachedURLResponse?
  private let type: URLProtocol.Type
  private var loader: URLProtocol?

  init(_ type: URLProtocol.Type, _ request: URLRequest, cached: CachedURLResponse?, task: TaskCore) {
    self.type = type
    self.request = request
    self.cached = cached
    self.task = task
    transfer = LocalTransfer(task: task)
  }

  /// Begins, on a queue of its own.
  func start() -> TransferHandle {
    transfer.start { [self] in
      let loader = type.init(request: type.canonicalRequest(for: request), cachedResponse: cached, client: self)
      self.loader = loader
      loader.startLoading()
    } stop: { [self] in
      loader?.stopLoading()
      loader = nil
    }
  }

  // MARK: What the protocol tells

  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
  ) {
    // Copied here: the request belongs to the caller.
    let target = request.url?.absoluteString ?? ""
    transfer.receive(ResponseHead(redirectResponse, redirectingTo: target))
    transfer.finish()
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
  ) {
    task.state.withLock { $0.ledger.caching.stubPolicy = policy }
    transfer.receive(ResponseHead(response))
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    transfer.receive(data)
  }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
    transfer.finish()
  }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
    transfer.finish(TransferFailure(kind: .refusedByHandler, message: "The URL protocol failed", underlying: error))
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    task.state.withLock { $0.ledger.caching.isServing = true }
    transfer.receive(ResponseHead(cachedResponse.response), length: Int64(cachedResponse.data.count))
    transfer.receive(cachedResponse.data)
    transfer.finish()
  }

  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    challenge.sender?.performDefaultHandling(for: challenge)
  }

  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

extension ResponseHead {
  /// The head of a stub's redirect: 302 unless its response says otherwise.
  fileprivate init(_ response: URLResponse, redirectingTo target: String) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 302
    let fields = ResponseHead(response).fields.filter { !$0.name.equalsIgnoringCase("Location") }
    self.init(status: status, fields: fields + [("Location", target)])
  }
}

extension SessionSettings {
  /// The first protocol class of the user's that wants the request.
  func protocolClass(for request: HopRequest) -> (URLProtocol.Type, URLRequest)? {
    guard !protocolClasses.isEmpty, let request = request.urlRequest else { return nil }
    for type in protocolClasses where type.canInit(with: request) { return (type, request) }
    return nil
  }
}
