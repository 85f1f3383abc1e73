import AFCore
import AFMultipart
import AFReachability
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import FoundationXML
import Testing

@testable import AFOperations

/// Every member of the matrix F.2, and AF-X066 to AF-X073.
@Suite struct ClientTests {
  static func client(_ url: String = "http://example.com/v1") throws -> AFHTTPClient {
    AFHTTPClient(baseURL: try #require(URL(string: url)), sessionConfiguration: quietConfiguration())
  }

  // MARK: URLs

  @Test(arguments: [
    ("http://example.com/v1/", "foo", "http://example.com/v1/foo"),
    ("http://example.com/v1", "foo", "http://example.com/v1/foo"),
    ("http://example.com/v1", "foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
    ("http://example.com/v1", "/foo", "http://example.com/foo"),
    ("http://example.com/v1", "foo/", "http://example.com/v1/foo/"),
    ("http://example.com/v1", "/foo/", "http://example.com/foo/"),
    ("http://example.com/v1", "http://example2.com/", "http://example2.com/"),
    ("http://example.com/v1", "", "http://example.com/v1/"),
    ("http://example.com", "", "http://example.com"),
    ("http://example.com", "../a", "http://example.com/a"),
    ("http://example.com/v1", "a%20b", "http://example.com/v1/a%20b"),
  ])
  func `Paths are resolved against the base URL`(_ base: String, _ path: String, _ url: String) throws {
    let request = try Self.client(base).request(withMethod: "GET", path: path, parameters: nil)
    #expect(request.url?.absoluteString == url)
  }

  @Test func `A path that is nil is the base URL`() throws {
    #expect(
      try Self.client().request(withMethod: "GET", path: nil, parameters: nil).url?.absoluteString
        == "http://example.com/v1/")
  }

  @Test(arguments: ["a b", "http://[", "ä", "%zz", "a\u{0}b", "http://exa mple.com/"])
  func `A malformed path is a typed failure of its operation alone`(_ path: String) async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      let failures = Recorder<AFOperationError?>()
      client.getPath(path, success: { _, _ in }, failure: { failures.record($1 as? AFOperationError) })
      try await failures.wait(for: 1)
      #expect(failures.values == [.invalidPath(path)])
      let shown = AFOperationError.invalidPath("\u{1B}[2Jx?token=S3CRET").localizedDescription
      #expect(!shown.contains("\u{1B}") && !shown.contains("S3CRET"))
      await #expect(throws: AFOperationError.self) { try await client.getPath(path) }
      try await client.getPath("good")
      #expect(server.requests.map(\.path) == ["/good"])
    }
  }

  // MARK: AF-X066

  @Test func `AF-X066 token and Basic authorization, clearing, and headers that are removed by nil`() throws {
    let client = try Self.client()
    client.setAuthorizationHeaderWithToken("abc")
    #expect(client.defaultValue(forHeader: "Authorization") == "Token token=\"abc\"")
    client.setAuthorizationHeaderWithToken("a\"b\\")
    #expect(client.defaultValue(forHeader: "authorization") == "Token token=\"a\\\"b\\\\\"")
    client.setAuthorizationHeaderWithUsername("u", password: "p")
    #expect(client.defaultValue(forHeader: "Authorization") == "Basic dTpw")
    client.clearAuthorizationHeader()
    #expect(client.defaultValue(forHeader: "Authorization") == nil)
    client.setDefaultHeader("X-A", value: "1")
    var request = client.request(withMethod: "GET", path: "a", parameters: nil)
    #expect(request.value(forHTTPHeaderField: "X-A") == "1")
    #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
    #expect(request.value(forHTTPHeaderField: "Accept-Language") != nil)
    client.setDefaultHeader("x-a", value: nil)
    client.setDefaultHeader("User-Agent", value: nil)
    request = client.request(withMethod: "POST", path: "a", parameters: ["a": 1])
    #expect(request.value(forHTTPHeaderField: "X-A") == nil)
    #expect(request.value(forHTTPHeaderField: "User-Agent") == nil)
  }

  @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "OPTIONS"])
  func `AF-X066 without parameters a request is bare`(_ method: String) throws {
    let client = try Self.client()
    for encoding in [AFHTTPClientParameterEncoding.formURL, .json, .propertyList] {
      client.parameterEncoding = encoding
      let request = client.request(withMethod: method, path: "a", parameters: nil)
      #expect(request.httpMethod == method)
      #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
      #expect(request.httpBody == nil && request.httpBodyStream == nil)
      #expect(request.url?.absoluteString == "http://example.com/v1/a")
    }
  }

  @Test(arguments: ["\r\nX-B: 2", "a\nb"])
  func `A header that would end its line fails the operation`(_ value: String) async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      client.setDefaultHeader("X-A", value: value)
      await #expect(throws: AFURLRequestSerializationError.self) { try await client.getPath("a") }
      client.setDefaultHeader("X-A", value: nil)
      client.setAuthorizationHeaderWithToken(value)
      await #expect(throws: AFURLRequestSerializationError.self) { try await client.getPath("a") }
      #expect(server.requestCount == 0)
    }
  }

  // MARK: AF-X067

  @Test(arguments: [
    (AFHTTPClientParameterEncoding.formURL, String.Encoding.utf8, "application/x-www-form-urlencoded; charset=utf-8"),
    (.formURL, .isoLatin1, "application/x-www-form-urlencoded; charset=iso-8859-1"),
    (.formURL, .utf16, "application/x-www-form-urlencoded; charset=utf-16"),
    (.json, .utf8, "application/json; charset=utf-8"), (.json, .isoLatin1, "application/json; charset=iso-8859-1"),
    (.json, .utf16, "application/json; charset=utf-16"),
    (.propertyList, .utf8, "application/x-plist; charset=utf-8"),
    (.propertyList, .isoLatin1, "application/x-plist; charset=iso-8859-1"),
    (.propertyList, .utf16, "application/x-plist; charset=utf-16"),
  ])
  func `AF-X067 the body is in the encoding that the Content-Type names`(
    _ kind: AFHTTPClientParameterEncoding, _ encoding: String.Encoding, _ type: String
  ) throws {
    let client = try Self.client()
    client.parameterEncoding = kind
    client.stringEncoding = encoding.rawValue
    #expect(client.parameterEncoding == kind && client.stringEncoding == encoding.rawValue)
    let request = client.request(withMethod: "POST", path: "a", parameters: ["k": "é"])
    #expect(request.value(forHTTPHeaderField: "Content-Type") == type)
    let text = try #require(String(data: request.httpBody ?? Data(), encoding: encoding))
    switch kind {
    case .formURL: #expect(text == "k=%C3%A9")
    case .json: #expect(text == #"{"k":"é"}"#)
    case .propertyList:
      #expect(text.contains("<string>é</string>"))
      #expect(text.lowercased().contains("encoding=\"\(ParameterBody.charset(encoding))\""))
    }
  }

  @Test(arguments: [
    (AFHTTPClientParameterEncoding.json, ["d": Date()] as [String: any Sendable]), (.json, ["d": Double.nan]),
    (.json, ["k": "日本"]), (.propertyList, ["k": "日本"]), (.propertyList, ["n": NSNull()]),
  ])
  func `Parameters that cannot be encoded fail the operation, and no request is sent`(
    _ kind: AFHTTPClientParameterEncoding, _ parameters: [String: any Sendable]
  ) async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      client.parameterEncoding = kind
      client.stringEncoding = String.Encoding.isoLatin1.rawValue
      let failures = Recorder<Bool>()
      client.postPath(
        "a", parameters: parameters, success: { _, _ in failures.record(false) },
        failure: { operation, error in failures.record(operation.isFinished && operation.error != nil) })
      try await failures.wait(for: 1)
      #expect(failures.values == [true])
      #expect(server.requestCount == 0)
    }
  }

  // MARK: AF-X068

  @Test(
    arguments: [
      ("a", ["k": "v"], "a?k=v"), ("a?x=1", ["k": "v"], "a?x=1&k=v"), ("a?", ["k": "v"], "a?&k=v"), ("a", [:], "a"),
      ("a#f", ["k": "v"], "a?k=v#f"), ("", ["k": "v"], "?k=v"), ("a", ["k": "a b&c=/?"], "a?k=a%20b%26c%3D/?"),
    ] as [(String, [String: String], String)])
  func `AF-X068 a query is joined to the URL, and an empty dictionary adds nothing`(
    _ path: String, _ parameters: [String: String], _ url: String
  ) throws {
    for method in ["GET", "HEAD", "DELETE"] {
      let request = try Self.client().request(withMethod: method, path: path, parameters: parameters)
      #expect(request.url?.absoluteString == "http://example.com/v1/" + url)
      #expect(request.httpBody == nil && request.value(forHTTPHeaderField: "Content-Type") == nil)
    }
  }

  // MARK: AF-X069

  final class FirstOperation: AFJSONRequestOperation, @unchecked Sendable {
    // Unchecked because its superclass is; it stores nothing.
  }
  final class ReachableOperation: AFHTTPRequestOperation, @unchecked Sendable {
    // Unchecked because its superclass is; it stores nothing.
    override class func canProcess(_ urlRequest: URLRequest) -> Bool { true }
  }

  @Test func `AF-X069 the class that was registered last is asked first, and registering again moves it there`() throws
  {
    let client = try Self.client()
    var request = URLRequest(url: try #require(URL(string: "http://example.com/a.json")))
    func made() -> ObjectIdentifier {
      ObjectIdentifier(type(of: client.httpRequestOperation(with: request, success: nil)))
    }
    #expect(made() == ObjectIdentifier(AFHTTPRequestOperation.self))
    #expect(client.registerHTTPOperationClass(AFJSONRequestOperation.self))
    #expect(made() == ObjectIdentifier(AFJSONRequestOperation.self))
    #expect(client.registerHTTPOperationClass(FirstOperation.self))
    #expect(made() == ObjectIdentifier(FirstOperation.self))
    #expect(client.registerHTTPOperationClass(AFJSONRequestOperation.self))
    #expect(made() == ObjectIdentifier(AFJSONRequestOperation.self))
    client.unregisterHTTPOperationClass(AFJSONRequestOperation.self)
    #expect(made() == ObjectIdentifier(FirstOperation.self))
    client.unregisterHTTPOperationClass(FirstOperation.self)
    client.unregisterHTTPOperationClass(FirstOperation.self)
    #expect(made() == ObjectIdentifier(AFHTTPRequestOperation.self))
    #expect(!client.registerHTTPOperationClass(NSObject.self))
    #expect(!client.registerHTTPOperationClass(AFURLConnectionOperation.self))
    client.registerHTTPOperationClass(ReachableOperation.self)
    request.url = URL(string: "http://example.com/a")
    #expect(made() == ObjectIdentifier(ReachableOperation.self))
  }

  @Test(
    arguments: [
      ("a.json", nil, "AFJSONRequestOperation"), ("a.JSON", nil, "AFJSONRequestOperation"),
      ("a.xml", nil, "AFXMLRequestOperation"), ("a.plist", nil, "AFPropertyListRequestOperation"),
      ("a", "application/json", "AFJSONRequestOperation"), ("a", "text/json;q=0.9", "AFJSONRequestOperation"),
      ("a", "text/html, application/xml; q=0.5", "AFXMLRequestOperation"),
      ("a", "application/x-plist", "AFPropertyListRequestOperation"), ("a", "text/html", "AFHTTPRequestOperation"),
      ("a", "*/*", "AFHTTPRequestOperation"), ("a", ",,;", "AFHTTPRequestOperation"),
      ("a", nil, "AFHTTPRequestOperation"), ("a.json/b", nil, "AFHTTPRequestOperation"),
      ("a?x=.json", nil, "AFHTTPRequestOperation"),
    ] as [(String, String?, String)])
  func `AF-X069 a class is chosen by Accept and by extension`(
    _ path: String, _ accept: String?, _ name: String
  ) throws {
    let client = try Self.client()
    client.registerHTTPOperationClass(AFPropertyListRequestOperation.self)
    client.registerHTTPOperationClass(AFXMLRequestOperation.self)
    client.registerHTTPOperationClass(AFJSONRequestOperation.self)
    client.setDefaultHeader("Accept", value: accept)
    let request = client.request(withMethod: "GET", path: path, parameters: nil) as URLRequest
    #expect("\(type(of: client.httpRequestOperation(with: request, success: nil)))" == name)
  }

  final class Wider: AFJSONRequestOperation, @unchecked Sendable {
    // Unchecked because its superclass is; it stores nothing.
  }

  @Test func `Codes and types may be added to a class, and its operations then accept them`() async throws {
    try await withTestServer(handler: { _ in
      var response = TestResponse.data(Data("[1]".utf8), type: "application/x-own")
      response.status = 404
      return response
    }) { server in
      Wider.addAcceptableStatusCodes(IndexSet(integer: 404))
      Wider.addAcceptableContentTypes(["Application/X-Own"])
      let operation = Wider(request: get(server))
      try await operation.run()
      #expect(operation.responseObject as? [Int] == [1])
      #expect(operation.hasAcceptableStatusCode && operation.hasAcceptableContentType)
      #expect(AFJSONRequestOperation.acceptableContentTypes()?.contains("application/x-own") == false)
      #expect(!AFHTTPRequestOperation.acceptableStatusCodes().contains(404))
      var request = get(server)
      request.setValue("application/x-own", forHTTPHeaderField: "Accept")
      #expect(Wider.canProcess(request) && Wider.canProcessRequest(request))
    }
  }

  // MARK: AF-X070

  @Test func `AF-X070 cancelling by method and path leaves all others alone`() throws {
    let client = try Self.client()
    client.operationQueue.isSuspended = true
    let rows: [(String, String, [String: Any]?)] = [
      ("GET", "a", nil), ("GET", "a", ["q": 1]), ("POST", "a", nil), ("GET", "a/b", nil), ("GET", "A", nil),
      ("GET", "a%2Fb", nil), ("GET", "", nil), ("GET", "/v1/a", nil), ("GET", "http://other.example/v1/a", nil),
    ]
    func cancelled(_ method: String?, _ path: String?) -> [Int] {
      let operations = rows.map { row in
        client.httpRequestOperation(
          with: client.request(withMethod: row.0, path: row.1, parameters: row.2) as URLRequest, success: nil)
      }
      operations.forEach(client.enqueue)
      // One that is not in the queue.
      let outside = client.httpRequestOperation(with: operations[0].request, success: nil)
      client.cancelAllHTTPOperations(withMethod: method, path: path)
      #expect(!outside.isCancelled)
      defer { client.operationQueue.cancelAllOperations() }
      return rows.indices.filter { operations[$0].isCancelled }
    }
    #expect(cancelled("GET", "a") == [0, 1, 7, 8])
    #expect(cancelled(nil, "a") == [0, 1, 2, 7, 8])
    #expect(cancelled("POST", "a") == [2])
    #expect(cancelled("get", "a") == [])
    #expect(cancelled("GET", "a/b") == [3])
    #expect(cancelled("GET", "a%2Fb") == [5])
    #expect(cancelled(nil, nil) == [6])
    #expect(cancelled(nil, "a b") == [])
    #expect(cancelled("GET", "/v1/a") == [0, 1, 7, 8])
    client.operationQueue.isSuspended = false
    client.operationQueue.waitUntilAllOperationsAreFinished()
  }

  // MARK: AF-X073

  final class OwnClient: AFHTTPClient, @unchecked Sendable {
    // Unchecked because its superclass is; it stores a constant.
    let made = "made by init"
    override init(baseURL url: URL) { super.init(baseURL: url) }
    required init?(coder: NSCoder) { super.init(coder: coder) }
  }

  @Test func `AF-X073 copies keep the listed fields, and are independent`() throws {
    let client = OwnClient(baseURL: try #require(URL(string: "http://127.0.0.1/v1")))
    client.parameterEncoding = .json
    client.stringEncoding = String.Encoding.isoLatin1.rawValue
    client.registerHTTPOperationClass(AFXMLRequestOperation.self)
    client.registerHTTPOperationClass(AFJSONRequestOperation.self)
    client.setDefaultHeader("X-A", value: "1")
    client.setDefaultHeader("User-Agent", value: nil)
    client.defaultCredential = URLCredential(user: "u", password: "p", persistence: .none)
    client.allowsInvalidSSLCertificate = true
    client.operationQueue.isSuspended = true
    client.getPath("a", success: nil)
    let copy = try #require(client.copy() as? OwnClient)
    #expect(copy.made == "made by init" && copy.baseURL == client.baseURL)
    #expect(copy.parameterEncoding == .json && copy.stringEncoding == client.stringEncoding)
    #expect(copy.defaultValue(forHeader: "X-A") == "1" && copy.defaultValue(forHeader: "User-Agent") == nil)
    #expect(
      copy.settings.withLock { $0.operationClasses.map { "\($0)" } } == [
        "AFJSONRequestOperation", "AFXMLRequestOperation",
      ])
    #expect(
      copy.operationQueue.operationCount == 0 && copy.defaultCredential == nil && !copy.allowsInvalidSSLCertificate)
    copy.setDefaultHeader("X-A", value: "2")
    copy.unregisterHTTPOperationClass(AFJSONRequestOperation.self)
    #expect(client.defaultValue(forHeader: "X-A") == "1")
    #expect(client.settings.withLock { $0.operationClasses.count } == 2)
    client.operationQueue.cancelAllOperations()
    client.operationQueue.isSuspended = false
  }

  @Test func `AF-X073 archives keep the listed fields`() throws {
    let client = try Self.client("http://127.0.0.1/v1")
    client.parameterEncoding = .propertyList
    client.stringEncoding = String.Encoding.utf16.rawValue
    client.registerHTTPOperationClass(AFXMLRequestOperation.self)
    client.registerHTTPOperationClass(AFJSONRequestOperation.self)
    client.registerHTTPOperationClass(FirstOperation.self)
    client.setAuthorizationHeaderWithToken("t")
    let data = try NSKeyedArchiver.archivedData(withRootObject: client, requiringSecureCoding: true)
    let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: AFHTTPClient.self, from: data))
    #expect(copy.baseURL == client.baseURL && copy.parameterEncoding == .propertyList)
    #expect(copy.stringEncoding == String.Encoding.utf16.rawValue)
    #expect(copy.defaultValue(forHeader: "Authorization") == "Token token=\"t\"")
    #expect(
      copy.settings.withLock { $0.operationClasses.map { "\($0)" } } == [
        "AFJSONRequestOperation", "AFXMLRequestOperation",
      ])
  }
}
