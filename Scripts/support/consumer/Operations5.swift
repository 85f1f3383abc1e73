// Code as programs for AFNetworking 0.10 to 2.x have it, as the importer spells it today, in Swift 5 mode and without an edit.
import AFOperations
import Foundation

class APIClient: AFHTTPClient {
  static let sharedClient = APIClient(baseURL: URL(string: CommandLine.arguments[1]) ?? URL(fileURLWithPath: "/"))

  override init(baseURL url: URL) {
    super.init(baseURL: url)
    registerHTTPOperationClass(AFJSONRequestOperation.self)
    setDefaultHeader("Accept", value: "application/json")
    parameterEncoding = AFJSONParameterEncoding
    setAuthorizationHeaderWithToken("token")
    setReachabilityStatusChange { status in
      if status == .notReachable { print("offline") }
    }
  }

  required init?(coder: NSCoder) { fatalError("not archived") }

  override func request(withMethod method: String, path: String?, parameters: Any?) -> NSMutableURLRequest {
    let request = super.request(withMethod: method, path: path, parameters: parameters)
    request.timeoutInterval = 10
    return request
  }
}

class EnvelopeOperation: AFJSONRequestOperation {
  override class func canProcess(_ request: URLRequest) -> Bool { return false }
  override var responseJSON: Any? { return (super.responseJSON as? [String: Any])?["data"] }
}

func check(_ condition: Bool, _ what: String) {
  if condition { return }
  print("not as it was: \(what)")
  exit(1)
}

func second(_ client: APIClient) {
  let manager = AFHTTPRequestOperationManager(baseURL: client.baseURL)
  manager.requestSerializer = AFJSONRequestSerializer()
  manager.responseSerializer = AFJSONResponseSerializer()
  // Python's server says that the file is JSON.
  manager.responseSerializer.acceptableContentTypes?.insert("text/plain")
  manager.securityPolicy.allowInvalidCertificates = false
  let operation = manager.get(
    "answer.json", parameters: nil,
    success: { (operation: AFHTTPRequestOperation, responseObject: Any?) in
      let answer = (responseObject as? [String: Any])?["answer"] as? Int
      check(answer == 42 && operation.response?.statusCode == 200, "2.x GET")
      batch(manager)
    },
    failure: { (operation: AFHTTPRequestOperation?, error: Error) in check(false, error.localizedDescription) })
  operation?.setDownloadProgressBlock { (bytesRead, totalBytesRead, totalBytesExpectedToRead) in
    check(totalBytesRead <= totalBytesExpectedToRead, "progress")
  }
}

func batch(_ manager: AFHTTPRequestOperationManager) {
  guard let url = URL(string: "answer.json", relativeTo: manager.baseURL) else { return check(false, "the URL") }
  let request = URLRequest(url: url)
  var operations: [AFHTTPRequestOperation] = []
  for _ in 0..<3 {
    let operation = AFHTTPRequestOperation(request: request)
    operation.responseSerializer = AFHTTPResponseSerializer()
    operation.setCompletionBlockWithSuccess({ (operation, object) in print(operation.isFinished) }, failure: nil)
    operation.queuePriority = .high
    if let last = operations.last { operation.addDependency(last) }
    operations.append(operation)
  }
  let all = AFURLConnectionOperation.batch(
    ofRequestOperations: operations,
    progressBlock: { (numberOfFinishedOperations, totalNumberOfOperations) in
      print("\(numberOfFinishedOperations) of \(totalNumberOfOperations)")
    },
    completionBlock: { finished in
      check(finished.count == 3, "batch")
      missing(manager)
    })
  OperationQueue.main.addOperations(all.compactMap { $0 as? Operation }, waitUntilFinished: false)
}

func missing(_ manager: AFHTTPRequestOperationManager) {
  manager.post(
    "none", parameters: ["a": 1],
    constructingBodyWith: { formData in
      formData.appendPart(withFileData: Data("x".utf8), name: "f", fileName: "f.txt", mimeType: "text/plain")
    }, success: { _, _ in check(false, "a missing file") },
    failure: { (operation, error) in
      check((error as NSError).domain == AFURLResponseSerializationErrorDomain, "the error's domain")
      print("AFHTTPClient and AFHTTPRequestOperationManager answer")
      exit(0)
    })
}

_ = NotificationCenter.default.addObserver(forName: .AFNetworkingOperationDidStart, object: nil, queue: nil) { note in
  check(note.object is AFURLConnectionOperation, "the notification's object")
}
let client = APIClient.sharedClient
client.getPath(
  "answer.json", parameters: nil,
  success: { (operation: AFHTTPRequestOperation, responseObject: Any?) in
    check((responseObject as? [String: Any])?["answer"] as? Int == 42, "1.x GET")
    client.cancelAllHTTPOperations(withMethod: "GET", path: "answer.json")
    let request = client.request(withMethod: "GET", path: "answer.json", parameters: nil) as URLRequest
    client.enqueueBatchOfHTTPRequestOperations(
      withRequests: [request, request], progressBlock: nil,
      completionBlock: { operations in
        check(operations.filter { $0.error == nil }.count == 2, "1.x batch")
        second(client)
      })
  },
  failure: { (operation: AFHTTPRequestOperation, error: Error) in check(false, error.localizedDescription) })
dispatchMain()
