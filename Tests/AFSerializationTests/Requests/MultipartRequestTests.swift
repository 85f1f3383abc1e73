import AFMultipart
import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct MultipartRequestTests {
  private let serializer = AFHTTPRequestSerializer()

  private func form(
    _ parameters: [String: Any]?,
    _ block: ((any AFMultipartFormData) -> Void)? = nil
  ) throws -> NSMutableURLRequest {
    var error: NSError?
    let request = serializer.multipartFormRequest(
      withMethod: "POST", urlString: "http://example.com", parameters: parameters, constructingBodyWith: block,
      error: &error)
    if let error { throw error }
    return request
  }

  private func body(of request: NSMutableURLRequest) throws -> String {
    let stream = try #require(request.httpBodyStream)
    stream.open()
    defer { stream.close() }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else {
        if count < 0 { throw stream.streamError ?? CancellationError() }
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes += buffer[..<count]
    }
  }

  @Test("AF-X020 parameters come first, in query order, unescaped: null is empty, data is raw")
  func parameters() throws {
    let request = try form(["b": ["x y", 1.0], "a": NSNull(), "c": Data("raw&".utf8), "d": true]) {
      $0.appendPart(withForm: Data("block".utf8), name: "e")
    }
    let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
    #expect(type.hasPrefix("multipart/form-data; boundary=Boundary+"))
    let text = try body(of: request)
    #expect(request.value(forHTTPHeaderField: "Content-Length") == "\(text.utf8.count)")
    let boundary = "--" + type.dropFirst("multipart/form-data; boundary=".count)
    let parts = [("a", ""), ("b[]", "x y"), ("b[]", "1"), ("c", "raw&"), ("d", "1"), ("e", "block")].map {
      "\(boundary)\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n"
    }
    #expect(text == parts.joined() + boundary + "--\r\n")
    #expect(request.httpBody == nil)
  }

  @Test("F79 AF-X021 without parts the request is a multipart form all the same: its end delimiter alone")
  func empty() throws {
    for request in [try form(nil), try form([:]) { _ in }] {
      let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
      let boundary = "--" + type.dropFirst("multipart/form-data; boundary=".count)
      let text = try body(of: request)
      #expect(text == boundary + "--\r\n")
      #expect(request.value(forHTTPHeaderField: "Content-Length") == "\(text.utf8.count)")
    }
  }

  @Test(
    "a form cannot be sent with GET or HEAD: the error is set, and the result cannot be sent",
    arguments: ["GET", "HEAD", "get"])
  func noBodyMethods(_ method: String) {
    var error: NSError?
    let request = serializer.multipartFormRequest(
      withMethod: method, urlString: "http://example.com", parameters: ["a": 1], constructingBodyWith: nil,
      error: &error)
    #expect((error as? AFURLRequestSerializationError)?.reason == .methodWithoutBody(method))
    #expect(request.url?.absoluteString == "about:invalid")
  }

  @Test("AF-T008 the type of a file part is found by its extension")
  func fileType() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).cer")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let request = try form(nil) { form in
      #expect(throws: Never.self) { try form.appendPart(withFileURL: file, name: "test") }
    }
    #expect(try body(of: request).contains("\r\nContent-Type: application/x-x509-ca-cert\r\n"))
  }

  @Test("a value that the string encoding cannot write is an error")
  func unencodable() {
    serializer.stringEncoding = String.Encoding.ascii.rawValue
    #expect { try form(["a": "é"]) } throws: {
      guard case .invalidParameter("a", _) = ($0 as? AFURLRequestSerializationError)?.reason else { return false }
      return true
    }
  }

  @Test("a JSON serializer makes forms as well")
  func json() throws {
    var error: NSError?
    let request = AFJSONRequestSerializer().multipartFormRequest(
      withMethod: "PUT", urlString: "http://example.com", parameters: ["a": 1], constructingBodyWith: nil, error: &error
    )
    #expect(error == nil)
    #expect(try body(of: request).contains("name=\"a\"\r\n\r\n1\r\n"))
  }
}
