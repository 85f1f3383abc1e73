import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// F70 F71: no description of an error shows a secret or a control character; the properties have everything.
@Suite struct SecretsTests {
  /// Stands wherever a secret could.
  private static let secret = "S3CRET"
  private static let hostile = "\u{1B}]0;owned\u{7}\r\n\u{202E}"

  private func texts(_ error: any Error) -> [String] {
    ["\(error)", String(describing: error), String(reflecting: error), error.localizedDescription]
      + [(error as? any LocalizedError)?.failureReason ?? ""]
  }

  private func expectNothingShown(_ error: any Error, _ place: SourceLocation = #_sourceLocation) {
    for text in texts(error) {
      #expect(!text.contains(Self.secret), "\(type(of: error))", sourceLocation: place)
      #expect(
        !text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\r" || $0 == "\u{202E}" },
        sourceLocation: place)
    }
  }

  /// A server whose every answer is full of secrets.
  private func withSecretServer(
    _ status: Int, type: String = "application/json", body: String = "S3CRET",
    _ run: @escaping (TestServer) async throws -> Void
  ) async throws {
    let fields: [(name: String, value: String)] = [
      ("Set-Cookie", "sid=\(Self.secret)"), ("WWW-Authenticate", "Bearer error=\"\(Self.secret)\""),
      ("X-Auth-Token", Self.secret), ("Content-Type", type), ("Proxy-Authenticate", Self.secret),
    ]
    try await withTestServer(
      handler: { _ in TestResponse(status, headers: fields, body: .bytes(Array(body.utf8))) }, run)
  }

  private func url(_ server: TestServer) -> String {
    "http://user:\(Self.secret)@127.0.0.1:\(server.port)/p?access_token=\(Self.secret)&X-Amz-Signature=\(Self.secret)&page=2#id_token=\(Self.secret)"
  }

  @Test(
    "F71 what a refused response throws shows no header, body, userinfo or token, and has them all",
    arguments: [401, 403, 500, 200])
  func refusals(_ status: Int) async throws {
    try await withSecretServer(status, body: "{\(Self.secret)") { server in
      let manager = makeManager(server)
      let error = await #expect(throws: AFError.self) {
        try await manager.get(
          url(server), headers: ["Authorization": "Bearer \(Self.secret)", "Cookie": "a=\(Self.secret)"])
      }
      let failure = try #require(error)
      expectNothingShown(failure)
      expectNothingShown(failure.cause)
      #expect(failure.response?.value(forHTTPHeaderField: "X-Auth-Token") == Self.secret)
      #expect(failure.data == Data("{\(Self.secret)".utf8))
      #expect(failure.request?.value(forHTTPHeaderField: "Authorization") == "Bearer \(Self.secret)")
      #expect(failure.request?.url?.absoluteString.contains("access_token=\(Self.secret)") == true)
      let response = try #require(failure.response)
      for text in ["\(response)", String(reflecting: response), response.debugDescription] {
        #expect(!text.contains(Self.secret))
      }
      #expect("\(failure)".contains("page=2"))
    }
  }

  @Test("F71 transfers that fail show their URL without secrets: lost, refused, timed out, cancelled, untrusted")
  func transfers() async throws {
    let lost = try RawServer { connection in
      _ = try connection.read()
    }
    let silent = try RawServer { connection in while try !connection.read().isEmpty {} }
    for (port, timeout) in [(lost.port, 5.0), (silent.port, 0.2), (1, 5)] {
      let configuration = quietConfiguration()
      configuration.timeoutIntervalForRequest = timeout
      let manager = AFHTTPSessionManager(baseURL: nil, sessionConfiguration: configuration)
      let address = "http://user:\(Self.secret)@127.0.0.1:\(port)/?sig=\(Self.secret)&page=2"
      let error = await #expect(throws: AFError.self) { try await manager.get(address) }
      let failure = try #require(error)
      expectNothingShown(failure)
      expectNothingShown(try #require(failure.urlError))
      #expect("\(failure)".contains("page=2"))
      #expect(failure.request?.url?.absoluteString.contains("sig=\(Self.secret)") == true)
    }
    try lost.stop()
    try silent.stop()
  }

  @Test("F70 F71 what cannot be sent is named without its secrets and control characters")
  func requests() throws {
    let serializer = AFHTTPRequestSerializer()
    let addresses = [
      "http://user:\(Self.secret)@h/ bad?token=\(Self.secret)",
      "http://user:\(Self.secret)@h/?key=\(Self.secret)#\u{1B}[2J",
      Self.hostile,
    ]
    for address in addresses {
      let error = #expect(throws: AFURLRequestSerializationError.self) {
        try serializer.request(withMethod: "GET", urlString: address, parameters: nil)
      }
      expectNothingShown(try #require(error))
    }
    serializer.setValue("\(Self.secret)\r\nX: y", forHTTPHeaderField: "X-A")
    let error = #expect(throws: AFURLRequestSerializationError.self) {
      try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: nil)
    }
    expectNothingShown(try #require(error))
    for method in ["G\u{1B}T", Self.hostile] {
      let error = #expect(throws: AFURLRequestSerializationError.self) {
        try AFHTTPRequestSerializer().request(withMethod: method, urlString: "http://h/", parameters: nil)
      }
      expectNothingShown(try #require(error))
    }
  }

  @Test("F70 a server's Content-Type and a document's keys are shown escaped")
  func responses() throws {
    struct Item: Decodable {
      var items: [String: Int]
    }
    let url = try #require(URL(string: "http://h/?token=\(Self.secret)"))
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/\u{1B}[2J"]))
    var error: NSError?
    _ = AFJSONResponseSerializer().responseObject(for: response, data: Data("1".utf8), error: &error)
    expectNothingShown(try #require(error))
    let json = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"]))
    error = nil
    let document = Data(#"{"items":{"\u001b]0;owned\u0007\r\n\u202e":"\#(Self.secret)"}}"#.utf8)
    _ = AFDecodableResponseSerializer<Item>().responseObject(for: json, data: document, error: &error)
    expectNothingShown(try #require(error))
  }

  @Test("F70 names of parts, hosts and files are shown escaped")
  func others() throws {
    let form = AFMultipartForm()
    let missing = URL(fileURLWithPath: "/nowhere/\(Self.hostile)")
    let error = #expect(throws: AFMultipartError.self) { try form.appendPart(withFileURL: missing, name: Self.hostile) }
    expectNothingShown(try #require(error))
    let unread = #expect(throws: AFSecurityError.self) { try AFCertificate.certificates(contentsOf: missing) }
    expectNothingShown(try #require(unread))
    let policy = #expect(throws: AFSecurityError.self) { try AFSecurityPolicy.policy(contentsOf: missing) }
    expectNothingShown(try #require(policy))
    let base = try #require(URL(string: "http://user:\(Self.secret)@h/?token=\(Self.secret)"))
    let manager = AFHTTPSessionManager(baseURL: base, sessionConfiguration: quietConfiguration())
    #expect(!"\(manager)".contains(Self.secret))
  }
}
