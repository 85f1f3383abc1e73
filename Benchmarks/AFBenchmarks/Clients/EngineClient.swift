import AFMultipart
import AFSupport
import AFTransport
import Foundation

/// The engine without what AFCore puts above it: shows how much of AFNetworking's cost is whose.
enum EngineClient {
  private static let summary = "this package's engine alone, without AFCore"

  static let requests = Client(name: "engine", summary: summary, isUsual: false) { job, meter in
    let engine = makeEngine(job)
    defer { engine.shutDown(cancelling: true) }
    let request = makeRequest(job)
    try await RequestPace.measure(job, meter) { count in
      try await withCheckedThrowingContinuation { continuation in
        RequestRelay(engine, request, count: count, continuation).begin(inFlight: job.concurrency)
      }
    }
  }

  static let parkedRequests = Client(name: "engine", summary: summary, isUsual: false) { job, meter in
    DescriptorLimit.raise()
    let engine = makeEngine(job)
    defer { engine.shutDown(cancelling: true) }
    let request = makeRequest(job)
    var poll = request
    poll.url = Parking.url(job)
    for _ in 0..<job.parked { engine.start(poll, handler: Poll()) }
    try await Parking.waitUntilFull(job) {}
    try await RequestPace.measure(job, meter) { count in
      try await withCheckedThrowingContinuation { continuation in
        RequestRelay(engine, request, count: count, continuation).begin(inFlight: job.concurrency)
      }
    }
  }

  static let upload = Client(name: "engine", summary: summary, isUsual: false) { job, meter in
    let engine = makeEngine(job)
    defer { engine.shutDown(cancelling: true) }
    let bytes = try await BulkPace.measure(meter, count: job.concurrency) { _ in
      let form = try MultipartSample.makeForm(job)
      var request = makeRequest(job)
      request.method = "POST"
      request.headers = [.init("Content-Type", form.contentType)]
      request.body = .reader(form.makeBodyStream().makeBodyReader())
      return try UploadReceipt.count(try await OneTransfer.run(engine, request, route: .memory).body)
    }
    try UploadReceipt.check(bytes, for: job)
  }

  static let download = Client(name: "engine", summary: summary, isUsual: false) { job, meter in
    let engine = makeEngine(job)
    defer { engine.shutDown(cancelling: true) }
    let bytes = try await BulkPace.measure(meter, count: job.concurrency) { index in
      var request = makeRequest(job)
      request.options.expectsLargeResponse = true
      let path = "\(job.directory)/engine-\(index)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw POSIXFailure(call: "create", path: path) }
      let sink = FileSink(descriptor: descriptor, path: path)
      _ = try await OneTransfer.run(engine, request, route: .sink(sink))
      _ = try await withCheckedThrowingContinuation { continuation in
        sink.finish { continuation.resume(with: $0) }
      }
      return try DownloadCheck.take(URL(fileURLWithPath: path))
    }
    try DownloadCheck.check(bytes, for: job)
  }

  private static func makeEngine(_ job: Job) -> Engine {
    var configuration = EngineConfiguration()
    configuration.maximumConnectionsPerHost = job.concurrency + job.parked
    configuration.maximumIdleConnections = job.concurrency + job.parked + 8
    // The judgement is AFSecurity's work, which this client leaves out with the rest.
    configuration.evaluateTrust = { _ in .accept }
    return Engine(configuration: configuration)
  }

  private static func makeRequest(_ job: Job) -> TransferRequest {
    var request = TransferRequest(url: job.url)
    request.options.httpVersion = job.usesHTTP2 ? .automatic : .http1
    request.options.idleTimeout = 600
    return request
  }
}

/// Sends the same request over and over, the next when one is done.
private final class RequestRelay: TransferHandler {
  private struct State {
    var toStart: Int64
    var running = 0
    var continuation: CheckedContinuation<Void, any Error>?
  }

  private let engine: Engine
  private let request: TransferRequest
  private let state: Locked<State>

  init(_ engine: Engine, _ request: TransferRequest, count: Int64, _ continuation: CheckedContinuation<Void, any Error>)
  {
    self.engine = engine
    self.request = request
    state = Locked(State(toStart: count, continuation: continuation))
  }

  func begin(inFlight: Int) {
    for _ in 0..<inFlight where claim() { engine.start(request, handler: self) }
  }

  private func claim() -> Bool {
    state.withLock { state in
      guard state.toStart > 0 else { return false }
      state.toStart -= 1
      state.running += 1
      return true
    }
  }

  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute {
    head.statusCode == 200 ? .memory : .cancel(BenchmarkError("the server answered \(head.statusCode)"))
  }

  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?) {}
  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?) {}

  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel? {
    if claim() { engine.start(request, handler: self) }
    let finished = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      state.running -= 1
      guard state.running == 0 || outcome.failure != nil else { return nil }
      defer { state.continuation = nil }
      return state.continuation
    }
    if let failure = outcome.failure {
      finished?.resume(throwing: BenchmarkError(failure.message))
    } else {
      finished?.resume()
    }
    return nil
  }
}

/// A request that nobody waits for.
private final class Poll: TransferHandler {
  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute { .discard }
  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?) {}
  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?) {}
  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel? { nil }
}

/// One transfer, awaited.
private final class OneTransfer: TransferHandler {
  private let route: ResponseRoute
  private let state: Locked<CheckedContinuation<TransferOutcome, any Error>?>

  private init(_ route: ResponseRoute, _ continuation: CheckedContinuation<TransferOutcome, any Error>) {
    self.route = route
    state = Locked(continuation)
  }

  static func run(_ engine: Engine, _ request: TransferRequest, route: ResponseRoute) async throws -> TransferOutcome {
    try await withCheckedThrowingContinuation { continuation in
      let handler = OneTransfer(route, continuation)
      let handle = engine.start(request, handler: handler)
      if case .sink(let sink as FileSink) = route {
        sink.connect(onRoom: { handle.resumeReceiving() }, onFailure: { _ in handle.cancel() })
      }
    }
  }

  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute {
    head.statusCode == 200 ? route : .cancel(BenchmarkError("the server answered \(head.statusCode)"))
  }

  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?) {}
  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?) {}

  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel? {
    let continuation = state.withLock { state -> CheckedContinuation<TransferOutcome, any Error>? in
      defer { state = nil }
      return state
    }
    if let failure = outcome.failure {
      continuation?.resume(throwing: BenchmarkError(failure.message))
    } else {
      continuation?.resume(returning: outcome)
    }
    return nil
  }
}
