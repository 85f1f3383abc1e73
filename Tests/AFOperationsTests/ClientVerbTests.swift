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

@Suite struct ClientVerbTests {
  @Test func `Every verb sends its method and its parameters where they belong`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let client = makeClient(server)
      let calls = Recorder<String>()
      let success: @Sendable (AFHTTPRequestOperation, Any?) -> Void = { operation, _ in
        calls.record(operation.request.httpMethod ?? "?")
      }
      client.getPath("a", parameters: ["k": "v"], success: success)
      client.postPath("a", parameters: ["k": "v"], success: success)
      client.putPath("a", parameters: ["k": "v"], success: success, failure: nil)
      client.patchPath("a", parameters: ["k": "v"], success: success)
      client.deletePath("a", parameters: ["k": "v"], success: success)
      try await calls.wait(for: 5)
      let requests = server.requests.sorted { $0.method < $1.method }
      #expect(requests.map(\.method) == ["DELETE", "GET", "PATCH", "POST", "PUT"])
      #expect(requests.map { $0.query ?? $0.bodyText } == Array(repeating: "k=v", count: 5))
      for twin in [client.getPath, client.postPath, client.putPath, client.patchPath, client.deletePath] {
        #expect(try await twin("a", ["k": "w"]).response?.statusCode == 200)
      }
      #expect(server.requests.suffix(5).map(\.method) == ["GET", "POST", "PUT", "PATCH", "DELETE"])
      #expect(server.requests.suffix(5).map { $0.query ?? $0.bodyText } == Array(repeating: "k=w", count: 5))
    }
  }

  final class Overriding: AFHTTPClient, @unchecked Sendable {
    // Unchecked because its superclass is; it stores a constant that has a lock.
    let asked = Recorder<String>()
    override func request(withMethod method: String, path: String?, parameters: Any?) -> NSMutableURLRequest {
      asked.record("request")
      let request = super.request(withMethod: method, path: path, parameters: parameters)
      request.setValue("1", forHTTPHeaderField: "X-Own")
      return request
    }
    override func httpRequestOperation(
      with urlRequest: URLRequest, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
      failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
    ) -> AFHTTPRequestOperation {
      asked.record("operation")
      let operation = super.httpRequestOperation(with: urlRequest, success: success, failure: failure)
      operation.userInfo = ["own": true]
      return operation
    }
    override func enqueue(_ operation: AFHTTPRequestOperation) {
      asked.record("enqueue")
      super.enqueue(operation)
    }
  }

  @Test func `F.15 everything goes through the methods that subclasses override`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = Overriding(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      let calls = Recorder<Bool>()
      client.getPath("a") { operation, _ in calls.record(operation.userInfo?["own"] as? Bool == true) }
      try await calls.wait(for: 1)
      #expect(calls.values == [true] && client.asked.values == ["request", "operation", "enqueue"])
      try await client.getPath("a")
      let form = client.multipartFormRequest(
        withMethod: "POST", path: "a", parameters: ["k": "v"], constructingBodyWith: nil)
      #expect(form.value(forHTTPHeaderField: "X-Own") == "1")
      let batch = client.batch(of: [get(server), get(server)])
      #expect(await batch.outcomes().allSatisfy { $0.operation.userInfo?["own"] as? Bool == true })
      #expect(server.requests.prefix(2).allSatisfy { $0.value("X-Own") == "1" })
    }
  }

  @Test func `A credential of the client is every operation's`() async throws {
    try await withTestServer(handler: { request in
      request.value("Authorization") == nil
        ? .text("out", status: 401).with("WWW-Authenticate", "Basic realm=\"r\"") : .text("in")
    }) { server in
      let client = makeClient(server)
      client.setDefaultCredential(URLCredential(user: "u", password: "p", persistence: .none))
      #expect(client.defaultCredential?.user == "u")
      let operation = try await client.getPath("a")
      #expect(operation.responseString == "in")
    }
  }

  @Test func `The host of the base URL is watched from the beginning`() async throws {
    let client = AFHTTPClient(baseURL: try #require(URL(string: "http://127.0.0.1:1/")))
    let seen = Recorder<AFNetworkReachabilityStatus>()
    try await eventually { client.networkReachabilityStatus != .unknown }
    client.setReachabilityStatusChange { seen.record($0) }
    #expect(client.networkReachabilityStatus != .notReachable)
  }

  @Test func `JSON, XML and property lists arrive as such, also by the constructors of 1.x`() async throws {
    let plist = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
    try await withRoutes([
      "/json": { _ in .json(#"{"a": 1}"#) },
      "/xml": { _ in .data(Data("<a>1</a>".utf8), type: "text/xml") },
      "/plist": { _ in .data(plist, type: "application/x-plist") },
      "/bad": { _ in .data(Data("{".utf8), type: "application/json") },
    ]) { server in
      let seen = Recorder<String>()
      AFJSONRequestOperation(
        request: get(server, "json"),
        success: { _, response, json in seen.record("\(response?.statusCode ?? 0) \(json ?? 0)") }
      ).start()
      try await seen.wait(for: 1)
      #expect(seen.first?.hasPrefix("200 ") == true && seen.first?.contains("\"a\"") == true)
      AFJSONRequestOperation.jsonRequestOperation(
        with: get(server, "bad"), success: { _, _, _ in seen.record("no") },
        failure: { request, response, error, json in seen.record("failed \(response?.statusCode ?? 0)") }
      ).start()
      try await seen.wait(for: 2)
      #expect(seen.last == "failed 200")
      AFXMLRequestOperation.xmlParserRequestOperation(
        with: get(server, "xml"), success: { _, _, parser in seen.record("\(parser.parse())") }
      ).start()
      try await seen.wait(for: 3)
      #expect(seen.last == "true")
      AFXMLRequestOperation.xmlDocumentRequestOperation(
        with: get(server, "xml"), success: { _, _, document in seen.record(document.rootElement()?.stringValue ?? "") }
      ).start()
      try await seen.wait(for: 4)
      #expect(seen.last == "1")
      let xml = AFXMLRequestOperation(request: get(server, "xml"))
      try await xml.run()
      #expect(xml.responseXMLParser != nil && xml.responseXMLDocument?.rootElement()?.name == "a")
      AFPropertyListRequestOperation.propertyListRequestOperation(
        with: get(server, "plist"), success: { _, _, list in seen.record("\((list as? [String: Int])?["a"] ?? 0)") }
      ).start()
      try await seen.wait(for: 5)
      #expect(seen.last == "1")
      let wrong = AFPropertyListRequestOperation(request: get(server, "json"))
      await #expect(throws: (any Error).self) { try await wrong.run() }
      #expect((wrong.error as NSError?)?.domain == AFNetworkingErrorDomain && !wrong.hasAcceptableContentType)
    }
  }

  @Test func `The oldest functions and names are there`() throws {
    #expect(
      AFQueryStringFromParametersWithEncoding(["b": 1, "a": "x y"], String.Encoding.utf8.rawValue) == "a=x%20y&b=1")
    #expect(AFURLEncodedStringFromStringWithEncoding("a b", String.Encoding.utf8.rawValue) == "a%20b")
    let all = [AFFormURLParameterEncoding, AFJSONParameterEncoding, AFPropertyListParameterEncoding]
    #expect(all.map(\.rawValue) == [0, 1, 2])
    let client = try ClientTests.client()
    #expect(client.defaultSSLPinningMode == .none && !client.allowsInvalidSSLCertificate)
    client.defaultSSLPinningMode = .publicKey
    #expect(client.securityPolicy.sslPinningMode == .publicKey)
    let operation = AFHTTPRequestOperation(request: URLRequest(url: client.baseURL))
    operation.sslPinningMode = .certificate
    #expect(operation.securityPolicy.sslPinningMode == .certificate && operation.sslPinningMode == .certificate)
  }
}
