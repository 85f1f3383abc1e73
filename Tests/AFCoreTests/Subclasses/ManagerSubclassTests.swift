import AFCore
import AFSerialization
import AFTestSupport
import Dispatch
import Foundation
import FoundationNetworking
import Testing

/// Subclasses as AFNetworking's users have them, without an edit but `@unchecked Sendable`.
private final class Client: AFHTTPSessionManager, @unchecked Sendable {
  override init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
    super.init(baseURL: url, sessionConfiguration: configuration)
    requestSerializer = AFJSONRequestSerializer()
  }
  required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
}

private final class Transfers: AFURLSessionManager, @unchecked Sendable {
  required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
  override init(sessionConfiguration configuration: URLSessionConfiguration?) {
    super.init(sessionConfiguration: configuration)
  }
}

private final class Envelope: AFJSONResponseSerializer, @unchecked Sendable {
  override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
    let object = super.responseObject(for: response, data: data, error: error) as? [String: Any]
    return object?["data"]
  }
}

private struct Item: Codable, Equatable, Sendable {
  var when: Date
}

@Suite struct ManagerSubclassTests {
  @Test func `F86 a copy of a manager's subclass has its class, made by its own initializer`() throws {
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 17
    let client = Client(baseURL: URL(string: "http://a.test/v1"), sessionConfiguration: configuration)
    client.requestSerializer.setValue("v", forHTTPHeaderField: "X")
    client.responseSerializer = Envelope()
    let copy = try #require(client.copy() as? Client)
    #expect(copy !== client && copy.baseURL == client.baseURL)
    #expect(copy.session.configuration.timeoutIntervalForRequest == 17)
    #expect(copy.requestSerializer is AFJSONRequestSerializer && copy.responseSerializer is Envelope)
    #expect(copy.requestSerializer.value(forHTTPHeaderField: "X") == "v")
    #expect(Transfers(sessionConfiguration: configuration).copy() is Transfers)
  }

  @Test func `F86 copies leave nothing behind`() {
    weak var original: Client?
    weak var copy: Client?
    do {
      let client = Client(baseURL: nil, sessionConfiguration: nil)
      let other = client.copy() as? Client
      (original, copy) = (client, other)
      #expect(copy != nil)
    }
    #expect(original == nil && copy == nil)
  }

  @Test(arguments: [true, false]) func `F87 the invalidation is told of after the app has let go`(cancels: Bool)
    async throws
  {
    let told = Recorder<Int>()
    weak var released: AFURLSessionManager?
    do {
      let manager = AFURLSessionManager()
      released = manager
      manager.setSessionDidBecomeInvalidBlock { _, _ in told.record(1) }
      manager.invalidateSessionCancelingTasks(cancels, resetSession: false)
    }
    try await eventually { told.values == [1] && released == nil }
  }

  @Test func `F87 tasks that are cancelled come first, and the manager stays until then`() async throws {
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let told = Recorder<String>()
      weak var released: AFHTTPSessionManager?
      do {
        let manager = makeManager(server)
        manager.completionQueue = .global()
        released = manager
        manager.setSessionDidBecomeInvalidBlock { _, _ in told.record("invalid") }
        manager.get("a", success: { _, _ in told.record("over") }, failure: { _, _ in told.record("over") })
        manager.invalidateSessionCancelingTasks(true, resetSession: true)
      }
      try await eventually { told.values.sorted() == ["invalid", "over"] && released == nil }
    }
  }

  private final class Mock: AFURLSessionDataTask, @unchecked Sendable {
    // Unchecked because its superclass is; it is used on one thread.
    var resumed = 0
    override var response: URLResponse? {
      URL(string: "http://a/").map {
        URLResponse(url: $0, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
      }
    }
    override func resume() { resumed += 1 }
  }

  @Test func `F88 a task that was made by itself does nothing`() async {
    let tasks = [AFURLSessionTask(), AFURLSessionDataTask(), AFURLSessionUploadTask(), AFURLSessionDownloadTask()]
    for task in tasks {
      task.resume()
      task.suspend()
      task.cancel()
      task.priority = 1
      task.taskDescription = "mine"
      #expect(task.state == .suspended && task.error == nil && task.response == nil)
      #expect(task.originalRequest == nil && task.currentRequest == nil && task.taskIdentifier == 0)
      #expect(task.taskDescription == "mine" && task.progress.fractionCompleted == 0)
    }
    let data = await withCheckedContinuation { continuation in
      AFURLSessionDownloadTask().cancel { continuation.resume(returning: $0) }
    }
    #expect(data == nil)
    let mock = Mock()
    mock.resume()
    #expect(mock.resumed == 1 && mock.response != nil && mock.state == .suspended)
  }

  @Test func `F82 a typed response is read by the response serializer and its decoder`() async throws {
    let answers = [
      "/seconds": #"{"when":"2001-01-01T00:00:00Z"}"#, "/plain": #"{"when":0}"#,
      "/envelope": #"{"data":{"when":0}}"#,
    ]
    try await withTestServer(handler: { request in
      if request.path == "/list" {
        let list = "<plist version=\"1.0\"><dict><key>when</key><date>2001-01-01T00:00:00Z</date></dict></plist>"
        return TestResponse(200, headers: [("Content-Type", "application/x-plist")], body: .bytes(Array(list.utf8)))
      }
      return .json(answers[request.path] ?? "")
    }) { server in
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      let rows: [(String, AFHTTPResponseSerializer)] = [
        ("seconds", AFDecodableResponseSerializer<Item>(decoder: decoder)),
        ("seconds", AFDecodableResponseSerializer<[Int]>(decoder: decoder)), ("plain", AFJSONResponseSerializer()),
        ("plain", AFHTTPResponseSerializer()),
        ("list", AFPropertyListResponseSerializer()), ("envelope", Envelope()),
        (
          "plain",
          AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [AFJSONResponseSerializer()])
        ),
      ]
      for (path, serializer) in rows {
        let manager = makeManager(server)
        manager.responseSerializer = serializer
        let item: Item = try await manager.get(path)
        #expect(item == Item(when: Date(timeIntervalSinceReferenceDate: 0)), "\(path) by \(type(of: serializer))")
      }
      let manager = makeManager(server)
      manager.responseSerializer = Envelope()
      await #expect(throws: AFError.self) { try await manager.get("list", as: Item.self) }
    }
  }

  @Test func `F82 a value is written by the request serializer and its encoder, unless one is given`() async throws {
    try await withTestServer(handler: {
      .json("[\"\($0.value("Content-Type") ?? "")\",\"\(Data(try $0.body()).base64EncodedString())\"]")
    }) { server in
      let iso = JSONEncoder()
      iso.dateEncodingStrategy = .iso8601
      let form = AFHTTPRequestSerializer()
      form.encoder = iso
      let json = AFJSONRequestSerializer()
      json.encoder = iso
      let list = AFPropertyListRequestSerializer()
      let item = Item(when: Date(timeIntervalSinceReferenceDate: 0))
      let text = Data(#"{"when":"2001-01-01T00:00:00Z"}"#.utf8).base64EncodedString()
      let manager = makeManager(server)
      for serializer in [form, json] {
        manager.requestSerializer = serializer
        #expect(try await manager.post("a", body: item, as: [String].self) == ["application/json", text])
      }
      manager.requestSerializer = list
      let answer = try await manager.put("a", body: item, as: [String].self)
      #expect(answer[0] == "application/x-plist")
      #expect(try PropertyListDecoder().decode(Item.self, from: #require(Data(base64Encoded: answer[1]))) == item)
      #expect(try await manager.patch("a", body: item, encoder: iso, as: [String].self) == ["application/json", text])
    }
  }

  @Test func `an overridden base URL, completion queue and group of a manager are in force`() async throws {
    final class Own: AFHTTPSessionManager, @unchecked Sendable {
      // Unchecked because its superclass is; they are set before it is used.
      var own: URL?
      let queue = DispatchQueue(label: "own.completions")
      let group = DispatchGroup()
      override var baseURL: URL? { own }
      override var completionQueue: DispatchQueue? {
        get { queue }
        set {}
      }
      override var completionGroup: DispatchGroup? {
        get { group }
        set {}
      }
    }
    try await withTestServer(handler: { .json("[\"\($0.path)\"]") }) { server in
      let manager = Own()
      manager.own = server.url("/v2")
      let told = Recorder<String>()
      manager.get(
        "a",
        success: { _, object in
          dispatchPrecondition(condition: .onQueue(manager.queue))
          told.record((object as? [String])?.first ?? "")
        }, failure: { _, error in told.record("\(error)") })
      try await eventually { told.values == ["/v2/a"] }
      let typed: [String] = try await manager.get("b")
      #expect(typed == ["/v2/b"])
    }
  }
}
