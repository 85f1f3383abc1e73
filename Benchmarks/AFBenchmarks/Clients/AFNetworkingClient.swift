import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import Foundation
import FoundationNetworking

/// AFNetworking as its users write it.
enum AFNetworkingClient {
  /// The async call, with the body as it came: nobody else here parses JSON either.
  static let requests = Client(
    name: "AFNetworking", summary: "this package: async get(_:), the body left as bytes"
  ) { job, meter in
    try await measure(job, meter) { manager in _ = try await manager.get("json") }
  }

  static let decodedRequests = Client(
    name: "AFNetworking-json", summary: "this package: async get(_:), decoded to a Codable type", isUsual: false
  ) { job, meter in
    try await measure(job, meter) { manager in
      let user: SampleUser = try await manager.get("json")
      guard user.name == "Ada Lovelace" else { throw BenchmarkError("the JSON says \(user.name)") }
    }
  }

  static let closureRequests = Client(
    name: "AFNetworking-closure", summary: "this package: get(_:success:failure:), AFNetworking's own way",
    isUsual: false
  ) { job, meter in
    let queue = DispatchQueue(label: "AFBenchmarks.completion")
    try await measure(job, meter, completionQueue: queue) { manager in
      try await withCheckedThrowingContinuation { continuation in
        manager.get(
          "json", success: { _, _ in continuation.resume() },
          failure: { _, error in continuation.resume(throwing: error) })
      }
    }
  }

  static let parkedRequests = Client(
    name: "AFNetworking", summary: "this package: async get(_:), the polls on the same manager"
  ) { job, meter in
    DescriptorLimit.raise()
    let manager = try makeManager(job)
    defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    for _ in 0..<job.parked { manager.get("park", success: nil) }
    try await Parking.waitUntilFull(job) {}
    try await RequestPace.measure(job, meter) { count in
      try await RequestPace.sendConcurrently(count, job) { _ = try await manager.get("json") }
    }
  }

  static let freshConnections = Client(
    name: "AFNetworking", summary: "this package: async get(_:), the default policy"
  ) { job, meter in
    try await connectAfresh(job, meter, try makeManager(job))
  }

  static let pinnedConnections = Client(
    name: "AFNetworking-pinned", summary: "this package: the same with a pinned public key", isUsual: false
  ) { job, meter in
    guard let authority = job.authority else { throw BenchmarkError("there is no authority to pin") }
    let manager = try makeManager(job)
    let pins = try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: authority))
    manager.securityPolicy = AFSecurityPolicy(
      pinningMode: .publicKey, withPinnedCertificates: Set(pins.map(\.derRepresentation)))
    try await connectAfresh(job, meter, manager)
  }

  private static func connectAfresh(_ job: Job, _ meter: Meter, _ manager: AFHTTPSessionManager) async throws {
    defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    try await RequestPace.measure(job, meter, practice: 10) { count in
      for _ in 0..<count { _ = try await manager.get("json", headers: ["Connection": "close"]) }
    }
  }

  static let upload = Client(
    name: "AFNetworking", summary: "this package: async post(_:constructingBodyWith:)"
  ) { job, meter in
    let manager = try makeManager(job)
    defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    let bytes = try await BulkPace.measure(meter, count: job.concurrency) { _ in
      let response = try await manager.post("discard", constructingBodyWith: { try MultipartSample.fill($0, for: job) })
      return try UploadReceipt.count(response.data)
    }
    try UploadReceipt.check(bytes, for: job)
  }

  static let download = Client(
    name: "AFNetworking", summary: "this package: async download(for:to:)"
  ) { job, meter in
    let manager = try makeManager(job)
    defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    let request = URLRequest(url: try URLSessionClient.url(job))
    let bytes = try await BulkPace.measure(meter, count: job.concurrency) { index in
      let file = URL(fileURLWithPath: "\(job.directory)/download-\(index)")
      try await manager.download(for: request, to: file)
      return try DownloadCheck.take(file)
    }
    try DownloadCheck.check(bytes, for: job)
  }

  static func makeManager(
    _ job: Job, completionQueue: DispatchQueue? = nil, cookies: HTTPCookieStorage? = nil
  ) throws -> AFHTTPSessionManager {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = max(job.concurrency + job.parked, 6)
    configuration.urlCache = nil
    configuration.httpCookieStorage = cookies
    configuration.timeoutIntervalForRequest = 600
    let manager = AFHTTPSessionManager(
      baseURL: try URLSessionClient.url(job).deletingLastPathComponent(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    if let completionQueue { manager.completionQueue = completionQueue }
    return manager
  }

  private static func measure(
    _ job: Job, _ meter: Meter, completionQueue: DispatchQueue? = nil,
    _ send: @escaping @Sendable (AFHTTPSessionManager) async throws -> Void
  ) async throws {
    let manager = try makeManager(job, completionQueue: completionQueue)
    defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    try await RequestPace.measure(job, meter) { count in
      try await RequestPace.sendConcurrently(count, job) { try await send(manager) }
    }
  }
}

/// What the server's JSON says of interest.
struct SampleUser: Decodable, Sendable {
  let name: String
  let email: String
}
