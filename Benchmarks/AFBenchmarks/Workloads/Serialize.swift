import AFSerialization
import CBenchmarkPeers
import Foundation
import FoundationNetworking

extension Workload {
  /// What it costs to make requests and read answers, without a network.
  static let serialize = Workload(
    name: "serialize",
    summary: "build requests, escape text, write and read JSON, and take nulls out, without a network",
    yardstick: "Foundation",
    clients: [
      Client(name: "Foundation", summary: "URLComponents, URLRequest, JSONSerialization by themselves") { job, meter in
        try await measure(job, meter, FoundationSerialization.self)
      },
      Client(name: "AFNetworking", summary: "AFSerialization's serializers and functions") { job, meter in
        try await measure(job, meter, PackageSerialization.self)
      },
      Client(
        name: "libcurl", summary: "C: curl_url, curl_easy_escape, curl_slist; requests only",
        whyNot: { $0.job.operation == SerializeOperation.request.rawValue ? nil : "it only builds requests" }
      ) { job, meter in
        try await RequestPace.measure(job, meter) { count in
          _ = try withPeerError { afb_build_requests(count, $0) }
        }
      },
    ],
    cases: { options in
      guard !options.usesTLS else { throw UsageError("serialize knows no --tls: it has no network") }
      return SerializeOperation.allCases.map { operation in
        var job = Job()
        job.operation = operation.rawValue
        job.seconds = options.runSeconds
        return Case(name: "serialize-\(operation.rawValue)", job: job, unit: .requests)
      }
    })

  private static func measure(_ job: Job, _ meter: Meter, _ client: any SerializationClient.Type) async throws {
    guard let operation = SerializeOperation(rawValue: job.operation) else {
      throw BenchmarkError("no operation \(job.operation)")
    }
    let work = try client.work(operation)
    let share = Int64(operation.unitsPerCall)
    try await RequestPace.measure(job, meter, practice: max(share, operation.isQuick ? 10_000 : 20)) { count in
      for _ in 0..<max(1, count / share) { try work() }
    }
  }
}

/// What is done, each a case of its own.
enum SerializeOperation: String, CaseIterable {
  /// A GET with ten parameters and two default headers.
  case request
  case escape
  case jsonWrite = "json-write"
  case jsonRead = "json-read"
  /// Taking nulls out of so many elements, beside reading them, for Foundation has nothing like it. That the cost of an
  /// element is the same in both shows that it takes linear time.
  case strip1k = "strip-1k"
  case strip20k = "strip-20k"

  /// How many of what is counted one call does.
  var unitsPerCall: Int {
    switch self {
    case .strip1k: 1_000
    case .strip20k: 20_000
    default: 1
    }
  }

  var isQuick: Bool { self == .request || self == .escape }
}

/// One of those compared: gives the work of one call.
protocol SerializationClient {
  static func work(_ operation: SerializeOperation) throws -> () throws -> Void
}

/// The same input for everybody.
enum SerializeSample {
  static let url = "https://example.com/api/v1/items"
  static let parameters = Dictionary(
    uniqueKeysWithValues: (0..<10).map { ("key\($0)", "value number \($0) & more") })
  static let headers = ["Accept-Language": "en;q=1", "User-Agent": "AFBenchmarks/1.0 (Linux 6.1.0)"]
  static let text = "value number 1 & more héllo wörld, and 100% of the rest?"

  static func records(_ count: Int) -> [[String: Any]] {
    (0..<count).map {
      [
        "id": $0, "name": "user \($0)", "tags": ["a", "b"], "score": Double($0) * 1.5, "active": true,
        "address": ["city": "Bern", "street": NSNull()] as [String: Any],
      ]
    }
  }

  static func json(_ count: Int) throws -> Data {
    try JSONSerialization.data(withJSONObject: records(count))
  }
}

private enum FoundationSerialization: SerializationClient {
  static func work(_ operation: SerializeOperation) throws -> () throws -> Void {
    switch operation {
    case .request:
      let names = SerializeSample.parameters.keys.sorted()
      return {
        guard var components = URLComponents(string: SerializeSample.url) else { throw BenchmarkError("no URL") }
        components.queryItems = names.map { URLQueryItem(name: $0, value: SerializeSample.parameters[$0]) }
        guard let url = components.url else { throw BenchmarkError("no URL") }
        var request = URLRequest(url: url)
        for (name, value) in SerializeSample.headers { request.setValue(value, forHTTPHeaderField: name) }
        guard request.url != nil else { throw BenchmarkError("no request") }
      }
    case .escape:
      var allowed = CharacterSet.urlQueryAllowed
      allowed.remove(charactersIn: ":#[]@!$&'()*+,;=")
      return { [allowed] in
        guard SerializeSample.text.addingPercentEncoding(withAllowedCharacters: allowed) != nil else {
          throw BenchmarkError("no text")
        }
      }
    case .jsonWrite:
      let records = SerializeSample.records(200)
      return { _ = try JSONSerialization.data(withJSONObject: records) }
    case .jsonRead, .strip1k, .strip20k:
      let data = try SerializeSample.json(operation == .jsonRead ? 200 : operation.unitsPerCall)
      return { _ = try JSONSerialization.jsonObject(with: data) }
    }
  }
}

private enum PackageSerialization: SerializationClient {
  static func work(_ operation: SerializeOperation) throws -> () throws -> Void {
    switch operation {
    case .request:
      let serializer = AFHTTPRequestSerializer()
      let parameters: [String: Any] = SerializeSample.parameters
      return {
        _ = try serializer.request(withMethod: "GET", urlString: SerializeSample.url, parameters: parameters)
      }
    case .escape:
      return { _ = AFPercentEscapedStringFromString(SerializeSample.text) }
    case .jsonWrite:
      let serializer = AFJSONRequestSerializer()
      let records = SerializeSample.records(200)
      return { _ = try serializer.request(withMethod: "POST", urlString: SerializeSample.url, parameters: records) }
    case .jsonRead:
      let serializer = AFJSONResponseSerializer()
      let data = try SerializeSample.json(200)
      guard let url = URL(string: SerializeSample.url),
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "application/json"])
      else { throw BenchmarkError("no response") }
      return {
        guard serializer.responseObject(for: response, data: data, error: nil) != nil else {
          throw BenchmarkError("no value")
        }
      }
    case .strip1k, .strip20k:
      let object = try JSONSerialization.jsonObject(with: SerializeSample.json(operation.unitsPerCall))
      return { _ = AFJSONObjectByRemovingKeysWithNullValues(object, []) }
    }
  }
}
