// Code as programs for AFNetworking 2, 3 and 4 have it, in Swift 5 mode, under Apple's names, without an edit. It is compiled
// with the trait `AppleNames`; nothing in here may name a type of this package's own.
import AFNetworking
import Foundation

class APIClient: AFHTTPSessionManager {
  static let shared = APIClient(baseURL: URL(string: CommandLine.arguments[1]))

  override init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
    super.init(baseURL: url, sessionConfiguration: configuration)
    requestSerializer = AFJSONRequestSerializer()
    let serializer = AFJSONResponseSerializer()
    serializer.removesKeysWithNullValues = true
    responseSerializer = serializer
    responseSerializer.acceptableContentTypes?.insert("text/html")
    responseSerializer.acceptableContentTypes = NSSet(objects: "application/json", "text/plain") as? Set<String>
    requestSerializer.setValue("application/json", forHTTPHeaderField: "Accept")
    requestSerializer.timeoutInterval = 20
    securityPolicy = AFSecurityPolicy(pinningMode: .none)
    securityPolicy.validatesDomainName = true
    reachabilityManager.setReachabilityStatusChange { status in
      if status == .reachableViaWiFi || status == .reachableViaWWAN { print("online") }
    }
  }

  required init?(coder aDecoder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }

  override func dataTask(
    with request: URLRequest, uploadProgress uploadProgressBlock: ((Progress) -> Void)?,
    downloadProgress downloadProgressBlock: ((Progress) -> Void)?,
    completionHandler: ((URLResponse, Any?, Error?) -> Void)? = nil
  ) -> URLSessionDataTask {
    return super.dataTask(
      with: request, uploadProgress: uploadProgressBlock, downloadProgress: downloadProgressBlock,
      completionHandler: completionHandler)
  }

  override func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    super.urlSession(session, task: task, didCompleteWithError: error)
  }

  @discardableResult
  func load(
    _ path: String, success: @escaping (URLSessionDataTask?, Any?) -> Void,
    failure: @escaping (URLSessionDataTask?, Error) -> Void
  ) -> URLSessionDataTask? {
    return get(
      path, parameters: nil, headers: nil, progress: nil,
      success: { (task: URLSessionDataTask, responseObject: Any?) in success(task, responseObject) },
      failure: { (task: URLSessionDataTask?, error: Error) in failure(task, error) })
  }
}

class EnvelopeSerializer: AFJSONResponseSerializer {
  override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    let json = super.responseObject(for: response, data: data, error: error)
    if let failure = error?.pointee {
      var info = failure.userInfo
      info["body"] = data
      error?.pointee = NSError(domain: failure.domain, code: failure.code, userInfo: info)
    }
    return json
  }
}

/// Never run: it is the compiler's answer that counts.
func everyForm(_ manager: AFHTTPSessionManager) throws {
  // 2.x and early 3.x
  manager.get("a", parameters: nil, success: { _, _ in }, failure: { _, _ in })
  manager.post("a", parameters: ["k": "v"], success: { _, _ in }, failure: nil)
  manager.post("a", parameters: nil, constructingBodyWith: { _ in }, success: nil, failure: nil)
  manager.invalidateSessionCancelingTasks(true)
  _ = manager.requestSerializer.request(withMethod: "GET", urlString: "http://a/", parameters: nil, error: nil)
  // 3.x
  manager.get("a", parameters: nil, progress: nil, success: { task, object in print(task, object ?? "") }) { _, error in
    print(error.localizedDescription)
  }
  manager.head("a", parameters: nil, success: { _ in }, failure: nil)
  manager.put("a", parameters: nil, success: nil, failure: nil)
  manager.patch("a", parameters: nil, success: nil)
  manager.delete("a", parameters: ["k": 1], success: nil)
  manager.setTaskDidReceiveAuthenticationChallenge { _, _, _, _ in .performDefaultHandling }
  manager.setTaskWillPerformHTTPRedirectionBlock { (_, _, _, request) -> URLRequest in request }
  // 4.x
  manager.post(
    "a", parameters: nil, headers: ["X": "y"], progress: { progress in print(progress.fractionCompleted) },
    success: nil, failure: nil)
  manager.post(
    "a", parameters: ["title": "t"], headers: nil,
    constructingBodyWith: { (formData: AFMultipartFormData) in
      do {
        try formData.appendPart(withFileURL: URL(fileURLWithPath: "/etc/hostname"), name: "file")
      } catch {
        print(error)
      }
      formData.appendPart(withFileData: Data(), name: "d", fileName: "d.jpg", mimeType: "image/jpeg")
      formData.appendPart(withForm: Data(), name: "f")
    }, progress: { print($0.fractionCompleted) }, success: { _, _ in }, failure: { _, _ in })
  manager.setSessionDidReceiveAuthenticationChallenge {
    (
      session: URLSession, challenge: URLAuthenticationChallenge,
      credential: AutoreleasingUnsafeMutablePointer<URLCredential?>?
    )
      -> URLSession.AuthChallengeDisposition in
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let trust: SecTrust = challenge.protectionSpace.serverTrust
    else { return .performDefaultHandling }
    credential?.pointee = URLCredential(trust: trust)
    return .useCredential
  }
  manager.setDownloadTaskDidWriteDataBlock { (session, task: URLSessionDownloadTask, _, written, total) in
    print(task.taskIdentifier, written, total)
  }
  manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .allow }
  manager.setTaskDidComplete { _, _, _ in }
  let request = try manager.requestSerializer.request(
    withMethod: "POST", urlString: "http://a/", parameters: ["k": "v"])
  request.setValue("v", forHTTPHeaderField: "K")
  var error: NSError?
  let form = manager.requestSerializer.multipartFormRequest(
    withMethod: "POST", urlString: "http://a/", parameters: nil, constructingBodyWith: { _ in }, error: &error)
  let upload: URLSessionUploadTask = manager.uploadTask(
    withStreamedRequest: form as URLRequest, progress: nil, completionHandler: { _, _, _ in })
  upload.cancel()
  let download = manager.downloadTask(
    with: request as URLRequest, progress: { print($0.completedUnitCount) },
    destination: { (target, response) -> URL in
      target.deletingLastPathComponent().appendingPathComponent(response.suggestedFilename ?? "file")
    }, completionHandler: { (response, url, error) in print(response, url ?? "", error ?? "") })
  download.cancel(byProducingResumeData: { data in print(data?.count ?? 0) })
  let task = manager.dataTask(with: request as URLRequest) { (response, object, error) in print(response, object ?? "")
  }
  task.resume()
  manager.tasks.forEach { $0.cancel() }
  let policy = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [Data()])
  policy.allowInvalidCertificates = false
  manager.securityPolicy = policy
  manager.responseSerializer = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [
    EnvelopeSerializer(), AFHTTPResponseSerializer(),
  ])
  AFNetworkReachabilityManager.shared().startMonitoring()
  _ = AFNetworkReachabilityManager.shared().isReachable
  _ = NotificationCenter.default.addObserver(forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil) { note in
    print(note.userInfo?[AFNetworkingTaskDidCompleteErrorKey] as? NSError ?? "")
  }
}

APIClient.shared.load(
  "answer.json",
  success: { task, object in
    let answer = (object as? [String: Any])?["answer"] as? Int
    print("the answer is \(answer ?? 0), status \((task?.response as? HTTPURLResponse)?.statusCode ?? 0)")
    exit(answer == 42 ? 0 : 1)
  },
  failure: { _, error in
    print(error.localizedDescription)
    exit(1)
  })
dispatchMain()
