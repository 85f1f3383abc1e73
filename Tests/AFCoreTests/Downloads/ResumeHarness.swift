import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking

/// A file of 100,000 bytes whose download breaks off after 40,000, and what is tried with the part.
struct ResumeHarness: Sendable {
  static let size: Int64 = 100_000
  static let cut: Int64 = 40_000
  static let digest = TestPattern.sha256(count: size)
  static let key = "NSURLSessionDownloadTaskResumeData"

  let server: TestServer
  let manager: AFHTTPSessionManager
  let directory: TemporaryDirectory
  private let answers: Recorder<@Sendable (TestRequest) throws -> TestResponse>

  init(headers: [(name: String, value: String)] = [("ETag", "\"v1\"")], length: Int64? = size) throws {
    directory = try TemporaryDirectory()
    let answers = Recorder<@Sendable (TestRequest) throws -> TestResponse>()
    let first = Recorder<Bool>()
    server = try TestServer { request in
      guard first.count > 0 else {
        first.record(true)
        var response = TestResponse(headers: headers, body: .pattern(offset: 0, count: Self.size))
        response.framing = length.map { .declared($0) } ?? .chunked(size: 10_000)
        return response.with(.close, at: .responseBody(Self.cut))
      }
      guard let answer = answers.last else { return .status(599) }
      return try answer(request)
    }
    self.answers = answers
    manager = makeManager(server, serializer: AFHTTPResponseSerializer())
  }

  /// What the server answers from now on.
  func answer(_ answer: @escaping @Sendable (TestRequest) throws -> TestResponse) { answers.record(answer) }

  /// A 206 with these bytes, and the Content-Range that fits unless another is given.
  static func part(
    _ first: Int64, _ end: Int64, range: String? = nil, total: String = "100000", tag: String? = "\"v1\""
  ) -> TestResponse {
    var response = TestResponse(206, body: .pattern(offset: first, count: end - first))
      .with("Content-Range", range ?? "bytes \(first)-\(end - 1)/\(total)")
    if let tag { response = response.with("ETag", tag) }
    return response
  }

  static let healthy: @Sendable (TestRequest) throws -> TestResponse = { .ranged($0, total: size) }

  /// Begins, is cut off, and gives the resume data.
  func begin(_ request: URLRequest? = nil) async throws -> Data {
    let error = try await failure {
      try await manager.download(
        for: request ?? URLRequest(url: server.url("file")), to: directory.file("first"))
    }
    guard let data = error.resumeData else { throw error }
    return data
  }

  /// Goes on, by closures.
  func resume(_ data: Data, progress: (@Sendable (Progress) -> Void)? = nil) async throws -> Completion {
    let done = Recorder<Completion>()
    manager.downloadTask(
      withResumeData: data, progress: progress, destination: { _, _ in directory.file("file") },
      completionHandler: done.fileHandler
    ).resume()
    try await done.wait(for: 1)
    guard let completion = done.first else { throw MissingError() }
    return completion
  }

  var isWhole: Bool { (try? TestDigest.sha256(ofFile: directory.file("file").path)) == Self.digest }
  var hasFile: Bool { FileManager.default.fileExists(atPath: directory.file("file").path) }
  /// The lengths of the partial files.
  var parts: [Int64] {
    get throws {
      try directory.contents.filter { $0.hasSuffix(".download") }.map {
        let size = try FileManager.default.attributesOfItem(atPath: directory.file($0).path)[.size] as? NSNumber
        return size?.int64Value ?? -1
      }
    }
  }
  /// The requests after the first.
  var further: [RecordedRequest] { Array(server.requests.dropFirst()) }
}

extension Completion {
  var resumeData: Data? { (error as NSError?)?.userInfo[ResumeHarness.key] as? Data }
}
