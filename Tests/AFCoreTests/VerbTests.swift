import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct VerbTests {
  struct Echo: Decodable, Sendable {
    var method: String
    var target: String
    var headers: [String: String]
    var body: String
  }

  @Test func `A GET gives a decoded value`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let echo: Echo = try await manager.get("path", parameters: ["a": 1, "b": "c d"])
      #expect(echo.method == "GET")
      #expect(echo.target == "/path?a=1&b=c%20d")
    }
  }

  @Test func `Every verb sends its method and its parameters where they belong`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let parameters: [String: any Sendable] = ["key": "value"]
      let post: Echo = try await manager.post("p", parameters: parameters)
      let put: Echo = try await manager.put("p", parameters: parameters)
      let patch: Echo = try await manager.patch("p", parameters: parameters)
      let delete: Echo = try await manager.delete("p", parameters: parameters)
      let head = try await manager.head("p", parameters: parameters)
      #expect([post, put, patch].map(\.body) == ["key=value", "key=value", "key=value"])
      #expect(delete.target == "/p?key=value")
      #expect(head.statusCode == 200)
      #expect(server.requests.map(\.method) == ["POST", "PUT", "PATCH", "DELETE", "HEAD"])
    }
  }

  @Test func `Closure verbs call success with the task and the JSON object`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let methods = Recorder<String>()
      let success: @Sendable (AFURLSessionDataTask, Any?) -> Void = { _, object in
        methods.record((object as? [String: Any])?["method"] as? String ?? "?")
      }
      manager.get("a", parameters: nil, headers: nil, progress: nil, success: success)
      manager.post("a", parameters: ["x": 1], success: success)
      manager.put("a", success: success)
      manager.patch("a", success: success)
      manager.delete("a", success: success)
      manager.head("a", success: { _ in methods.record("HEAD") })
      try await methods.wait(for: 6)
      #expect(methods.values.sorted() == ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"])
    }
  }

  @Test func `The task that success gets is the one that the verb returned`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let given = Recorder<AFURLSessionDataTask>()
      let task = manager.get("a", success: { task, _ in given.record(task) })
      try await given.wait(for: 1)
      #expect(given.first === task)
      #expect(task?.state == .completed)
      #expect((task?.response as? HTTPURLResponse)?.statusCode == 200)
    }
  }

  @Test func `A request that cannot be made gives no task, and failure is called`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let failures = Recorder<Bool>()
      let task = manager.post(
        "a", parameters: ["k": "v"], headers: nil,
        constructingBodyWith: { form in
          try? form.appendPart(withFileURL: URL(fileURLWithPath: "/nowhere"), name: "f")
        }, success: nil)
      #expect(task != nil)
      manager.requestSerializer.setQueryStringSerializationWith { _, _, error in
        error?.pointee = NSError(domain: "test", code: 7)
        return ""
      }
      let none = manager.get(
        "a", parameters: ["a": 1], success: nil,
        failure: { task, error in
          failures.record(task == nil && (error as NSError).code == 7)
        })
      #expect(none == nil)
      try await failures.wait(for: 1)
      #expect(failures.values == [true])
    }
  }

  @Test func `An Encodable body is sent as JSON`() async throws {
    struct Point: Codable, Sendable { var x = 1 }
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let echo: Echo = try await manager.post("a", body: Point())
      #expect(echo.body == #"{"x":1}"#)
      #expect(echo.headers["content-type"] == "application/json")
    }
  }

  @Test func `Headers of one request replace the serializer's`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      manager.requestSerializer.setValue("default", forHTTPHeaderField: "X-Foo")
      manager.requestSerializer.setValue("default", forHTTPHeaderField: "X-Bar")
      let echo: Echo = try await manager.get("a", headers: ["x-foo": "one"])
      #expect(echo.headers["x-foo"] == "one")
      #expect(echo.headers["x-bar"] == "default")
    }
  }

  @Test func `A multipart form is streamed with its length`() async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = makeManager(server)
      let fractions = Recorder<Double>()
      let echo: Echo = try await manager.post(
        "form", parameters: ["key": "value"],
        constructingBodyWith: { form in
          form.appendPart(
            withFileData: TestPattern.data(count: 100), name: "file", fileName: "a.bin", mimeType: "text/plain")
        },
        progress: { fractions.record($0.fractionCompleted) })
      let request = try #require(server.requests.first)
      #expect(request.value("Content-Length") == "\(request.bodyCount)")
      #expect(request.value("Transfer-Encoding") == nil)
      #expect(echo.headers["content-type"]?.hasPrefix("multipart/form-data; boundary=") == true)
      #expect(fractions.last == 1)
    }
  }

  @Test func `A refused status throws with response, body and decoded value`() async throws {
    try await withTestServer(handler: { _ in .json(#"{"why":"no"}"#, status: 404) }) { server in
      let manager = makeManager(server)
      let error = try await failure { _ = try await manager.get("a") }
      #expect(error.statusCode == 404)
      #expect(error.domain == AFURLResponseSerializationErrorDomain)
      #expect(error.code == -1011)
      #expect((error.value as? [String: Any])?["why"] as? String == "no")
      #expect(error.data?.count == 12)
      #expect(error.request?.url?.path == "/a")
      let typed = try await failure { _ = try await manager.get("a", as: Echo.self) }
      #expect(typed.statusCode == 404)
      #expect((typed as NSError).code == -1011)
    }
  }

  @Test(arguments: [
    ("foo", "/v1/foo"), ("foo?bar=baz", "/v1/foo?bar=baz"), ("/foo", "/foo"), ("foo/", "/v1/foo/"), ("/foo/", "/foo/"),
    ("", "/v1/"),
  ])
  func `AF-X060 Paths are resolved against the base URL`(path: String, target: String) async throws {
    try await withTestServer(handler: { try .echo($0) }) { server in
      let manager = AFHTTPSessionManager(baseURL: server.url("v1"), sessionConfiguration: quietConfiguration())
      let echo: Echo = try await manager.get(path)
      #expect(echo.target == target)
    }
  }
}
