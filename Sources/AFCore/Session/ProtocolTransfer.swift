import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

/// A hop that a `URLProtocol` of the configuration carries out in the engine's place: how users stub a server.
///
/// It behaves like the engine's hops: one head, a body by the route that the task chose, one completion, all in order on a
/// queue of its own.
final class ProtocolTransfer: NSObject, TransferControl, URLProtocolClient, @unchecked Sendable {
  // Unchecked because NSObject and URLProtocol are not Sendable: everything stored is a constant or only touched on `queue`.
  private let queue = DispatchQueue(label: "af.url-protocol")
  private let task: TaskCore
  private let request: URLRequest
  private let type: URLProtocol.Type
  private var loader: URLProtocol?
  private var route: ResponseRoute?
  private var hasHead = false
  private var isSuspended = false
  private var pending = Data()
  private var body = Data()
  private var received: Int64 = 0
  private var end: TransferFailure??

  init(_ type: URLProtocol.Type, _ request: URLRequest, task: TaskCore) {
    self.type = type
    self.request = request
    self.task = task
  }

  private var handle: TransferHandle { TransferHandle(id: 0, control: self) }

  /// Begins, on the queue.
  func start() -> TransferHandle {
    queue.async { [self] in
      guard loader == nil, end == nil else { return }
      let loader = type.init(request: type.canonicalRequest(for: request), cachedResponse: nil, client: self)
      self.loader = loader
      loader.startLoading()
    }
    return handle
  }

  // MARK: What the task asks for

  func cancel() {
    queue.async { [self] in
      complete(TransferFailure(kind: .cancelled, message: "The task was cancelled"))
    }
  }

  func setSuspended(_ isSuspended: Bool) {
    queue.async { [self] in
      self.isSuspended = isSuspended
      flow()
    }
  }

  func route(_ route: ResponseRoute) {
    queue.async { [self] in take(route) }
  }

  func resumeReceiving() {
    queue.async { [self] in flow() }
  }

  // MARK: What the protocol tells

  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
  ) {
    // Copied here: the request belongs to the caller.
    let target = request.url?.absoluteString ?? ""
    let head = Self.head(redirectResponse, location: target)
    queue.async { [self] in
      deliver(head)
      finish(nil)
    }
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
  ) {
    let head = Self.head(response)
    queue.async { [self] in deliver(head) }
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    queue.async { [self] in
      guard end == nil else { return }
      pending.append(data)
      flow()
    }
  }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
    queue.async { [self] in finish(nil) }
  }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
    queue.async { [self] in
      finish(TransferFailure(kind: .refusedByHandler, message: "The URL protocol failed", underlying: error))
    }
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    let head = Self.head(cachedResponse.response)
    let data = cachedResponse.data
    queue.async { [self] in
      deliver(head)
      pending.append(data)
      finish(nil)
    }
  }

  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    challenge.sender?.performDefaultHandling(for: challenge)
  }

  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}

  // MARK: On the queue

  private func deliver(_ head: ResponseHead) {
    guard !hasHead, end == nil else { return }
    hasHead = true
    take(task.transfer(handle, didReceive: head))
  }

  private func take(_ route: ResponseRoute) {
    guard self.route == nil else { return }
    switch route {
    case .undecided: return
    case .cancel(let error):
      complete(TransferFailure(kind: .refusedByHandler, message: "The response was refused", underlying: error))
    default:
      self.route = route
      flow()
    }
  }

  private func finish(_ failure: TransferFailure?) {
    guard end == nil else { return }
    end = .some(failure)
    if !hasHead, failure == nil {
      return complete(TransferFailure(kind: .connectionLost, message: "The URL protocol gave no response"))
    }
    flow()
  }

  /// Moves what has come to where it is wanted, and completes when that was all.
  private func flow() {
    guard !isSuspended, route != nil || end.flatMap({ $0 }) != nil else { return }
    if !pending.isEmpty {
      received += Int64(pending.count)
      let piece = pending
      pending = Data()
      switch route {
      case .memory: body.append(piece)
      case .sink(let sink): _ = piece.withUnsafeBytes { sink.receive($0) }
      default: break
      }
      task.transfer(handle, didReceive: received, expected: nil)
    }
    if let end { complete(end) }
  }

  private func complete(_ failure: TransferFailure?) {
    guard !isComplete else { return }
    isComplete = true
    end = .some(failure)
    loader?.stopLoading()
    loader = nil
    var outcome = TransferOutcome(failure: failure)
    if case .memory = route { outcome.body = body }
    outcome.bytesReceived = received
    task.transfer(handle, didComplete: outcome)?()
  }

  private var isComplete = false

  private static func head(_ response: URLResponse, location: String? = nil) -> ResponseHead {
    var lines = ""
    var status = location == nil ? 200 : 302
    if let response = response as? HTTPURLResponse {
      status = response.statusCode
      for (name, value) in response.allHeaderFields {
        if location != nil, "\(name)".equalsIgnoringCase("Location") { continue }
        lines += "\(name): \(value)\r\n"
      }
    } else if let type = response.mimeType {
      lines += "Content-Type: \(type)\r\n"
    }
    if let location { lines += "Location: \(location)\r\n" }
    return ResponseHead(bytes: Array("HTTP/1.1 \(status) \r\n\(lines)".utf8))
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
