import AFNetworking
import AFTestSupport
import Testing

// Code in the style of AFNetworking's users: what compiles here compiles for them. Only the types' names are this package's;
// with the trait `AppleNames` they would be Apple's.

/// The shared client that AFNetworking's documentation shows.
private final class APIClient: AFHTTPSessionManager, @unchecked Sendable {
  // Unchecked because its superclass is; it stores a constant.
  let seen = Recorder<String>()

  override init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
    super.init(baseURL: url, sessionConfiguration: configuration)
    requestSerializer = AFJSONRequestSerializer()
    responseSerializer = EnvelopeSerializer()
    responseSerializer.acceptableContentTypes?.insert("text/html")
    requestSerializer.setValue("application/json", forHTTPHeaderField: "Accept")
    securityPolicy = AFSecurityPolicy(pinningMode: .none)
    completionQueue = DispatchQueue(label: "client")
  }

  required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  override func dataTask(
    with request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
    downloadProgress: (@Sendable (Progress) -> Void)?,
    completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionDataTask {
    seen.record(request.httpMethod ?? "")
    return super.dataTask(
      with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
      completionHandler: completionHandler)
  }
}

/// A response serializer that takes the value out of an envelope.
private final class EnvelopeSerializer: AFJSONResponseSerializer, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.
  override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    let object = super.responseObject(for: response, data: data, error: error)
    guard error?.pointee == nil, let envelope = object as? [String: Any] else { return object }
    return envelope["value"] ?? envelope
  }
}

@Suite struct SourceCompatibilityTests {
  @Test func `Code as AFNetworking's users write it works`() async throws {
    try await withTestServer(handler: { request in
      switch request.path {
      case "/file": .pattern(1000)
      case "/form": .json(#"{"value":\#(try request.body().count)}"#)
      default: .json(#"{"value":"\#(request.method)"}"#)
      }
    }) { server in
      let client = APIClient(baseURL: server.url())
      let values = Recorder<String>()
      client.get(
        "a", parameters: nil, headers: nil, progress: nil,
        success: { task, object in
          values.record("\(object ?? "none")")
        }, failure: nil)
      client.get(
        "a", parameters: ["x": 1],
        success: { (task: AFURLSessionDataTask, object: Any?) in
          values.record("\(object ?? "none")")
        }, failure: { (task: AFURLSessionDataTask?, error: any Error) in values.record("\(error)") })
      client.post("a", parameters: ["k": "v"]) { task, object in
        values.record("\(object ?? "none")")
      } failure: { task, error in
        values.record("\(error)")
      }
      try await values.wait(for: 3)
      #expect(values.values.sorted() == ["GET", "GET", "POST"])
      #expect(client.seen.values.sorted() == ["GET", "GET", "POST"])
      let counts = Recorder<Int>()
      client.post(
        "form", parameters: ["title": "t"], headers: nil,
        constructingBodyWith: { formData in
          formData.appendPart(withForm: Data("v".utf8), name: "k")
          formData.appendPart(withFileData: Data("data".utf8), name: "d", fileName: "d.txt", mimeType: "text/plain")
          formData.appendPart(
            with: InputStream(data: Data("stream".utf8)), name: "s", fileName: "s", length: 6, mimeType: "a/b")
        }, progress: nil, success: { _, object in counts.record((object as? NSNumber)?.intValue ?? -1) })
      try await counts.wait(for: 1)
      #expect((counts.first ?? 0) > 300)
      let directory = try TemporaryDirectory()
      let files = Recorder<URL?>()
      let request = URLRequest(url: server.url("file"))
      let task = client.downloadTask(
        with: request, progress: nil,
        destination: { _, response in
          directory.file(response.suggestedFilename ?? "file")
        }
      ) { _, url, _ in files.record(url) }
      task.resume()
      try await files.wait(for: 1)
      #expect(files.first??.deletingLastPathComponent().path == directory.path)
    }
  }

  @Test func `Blocks, serializers and policies are set up as before`() {
    let manager = AFURLSessionManager(sessionConfiguration: .default)
    manager.responseSerializer = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [
      AFJSONResponseSerializer(), AFHTTPResponseSerializer(),
    ])
    manager.setSessionDidReceiveAuthenticationChallenge { session, challenge, credential in
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
        let trust = challenge.protectionSpace.serverTrust
      {
        credential?.pointee = URLCredential(trust: trust)
        return .useCredential
      }
      return .performDefaultHandling
    }
    manager.setTaskDidReceiveAuthenticationChallenge { _, _, _, _ in .performDefaultHandling }
    manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, request -> URLRequest in request }
    manager.setTaskDidComplete { session, task, error in }
    manager.setTaskDidSendBodyDataBlock { _, _, sent, total, expected in }
    manager.securityPolicy.allowInvalidCertificates = false
    manager.reachabilityManager.setReachabilityStatusChange { status in
      _ = AFStringFromNetworkReachabilityStatus(status)
    }
    manager.operationQueue.maxConcurrentOperationCount = 2
    manager.attemptsToRecreateUploadTasksForBackgroundSessions = true
    manager.tasks.forEach { $0.cancel() }
    manager.invalidateSessionCancelingTasks(true)
    #expect(manager.tasks.isEmpty)
    #expect(!manager.attemptsToRecreateUploadTasksForBackgroundSessions)
  }
}
