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

@Suite struct ClientFormTests {
  private func body(_ request: NSMutableURLRequest) throws -> Data {
    let stream = try #require(request.httpBodyStream)
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 { data += buffer[..<count] }
    return data
  }

  @Test func `AF-X072 a form has the parameters and what the block appends, with a boundary of its own`() throws {
    let client = try ClientTests.client()
    let form = client.multipartFormRequest(withMethod: "POST", path: "a", parameters: ["k": "v"]) { form in
      form.appendPart(withFileData: Data("file".utf8), name: "f", fileName: "f.txt", mimeType: "text/plain")
      form.throttleBandwidth(withPacketSize: kAFUploadStream3GSuggestedPacketSize, delay: 0)
    }
    let text = String(decoding: try body(form), as: UTF8.self)
    let type = try #require(form.value(forHTTPHeaderField: "Content-Type"))
    let boundary = try #require(type.split(separator: "=").last)
    #expect(type.hasPrefix("multipart/form-data; boundary=Boundary+") && boundary.count == 25)
    #expect(form.value(forHTTPHeaderField: "Content-Length") == "\(text.utf8.count)")
    #expect(text.contains("name=\"k\"\r\n\r\nv\r\n--\(boundary)\r\n"))
    #expect(text.contains("filename=\"f.txt\"\r\nContent-Type: text/plain\r\n\r\nfile\r\n--\(boundary)--\r\n"))
    let second = client.multipartFormRequest(
      withMethod: "POST", path: "a", parameters: ["k": "v"], constructingBodyWith: nil)
    #expect(second.value(forHTTPHeaderField: "Content-Type") != type)
  }

  @Test func `AF-X072 appendData and appendString put bytes into the body as they are`() throws {
    let client = try ClientTests.client()
    let form = client.multipartFormRequest(withMethod: "POST", path: "a", parameters: nil) { form in
      form.appendData(Data())
      form.appendString("<<")
      form.appendPart(withForm: Data("v".utf8), name: "k")
      form.appendData(Data("--".utf8))
      form.appendString("é", encoding: .isoLatin1)
      form.appendString("日", encoding: .ascii)
      form.appendPart(withForm: Data("w".utf8), name: "l")
      form.appendString(">>")
    }
    let boundary = try #require(form.value(forHTTPHeaderField: "Content-Type")?.split(separator: "=").last)
    let data = try body(form)
    let text = String(data: data, encoding: .isoLatin1)
    let field = "Content-Disposition: form-data; name="
    #expect(
      text
        == "<<\r\n--\(boundary)\r\n\(field)\"k\"\r\n\r\nv--é\r\n--\(boundary)\r\n\(field)\"l\"\r\n\r\nw>>\r\n--\(boundary)--\r\n"
    )
    #expect(form.value(forHTTPHeaderField: "Content-Length") == "\(data.count)")
  }

  @Test func `AF-X072 fields of a form are in the client's encoding, and a form without parts leaves the request bare`()
    throws
  {
    let client = try ClientTests.client()
    client.stringEncoding = String.Encoding.isoLatin1.rawValue
    let form = client.multipartFormRequest(
      withMethod: "PUT", path: "a", parameters: ["k": "é"], constructingBodyWith: nil)
    #expect(try body(form).contains(0xE9))
    let empty = client.multipartFormRequest(withMethod: "PUT", path: "a", parameters: nil, constructingBodyWith: nil)
    #expect(empty.httpBodyStream == nil && empty.value(forHTTPHeaderField: "Content-Type") == nil)
  }

  @Test(arguments: ["GET", "HEAD"])
  func `A form cannot be sent with a method that has no body`(_ method: String) async throws {
    let client = try ClientTests.client()
    let form = client.multipartFormRequest(
      withMethod: method, path: "a", parameters: ["k": "v"], constructingBodyWith: nil)
    let operation = client.httpRequestOperation(with: form as URLRequest, success: nil)
    await #expect(throws: AFURLRequestSerializationError.self) { try await operation.run() }
  }

  @Test func `A form is sent, with a file by its URL and a stream`() async throws {
    try await withTestServer(handler: { .data(try $0.body()) }) { server in
      let folder = try TemporaryDirectory()
      let file = try folder.write(Data("from a file".utf8), to: "a.json")
      let client = makeClient(server)
      let form = client.multipartFormRequest(withMethod: "POST", path: "a", parameters: ["k": 1]) { form in
        try? form.appendPart(withFileURL: file, name: "f")
        try? form.appendPart(withFileURL: file, name: "g", fileName: "g.txt", mimeType: "text/x")
        form.appendPart(
          with: InputStream(data: Data("from a stream".utf8)), name: "s", fileName: "s", length: 13, mimeType: "a/b")
        form.appendPart(withHeaders: ["Content-Disposition": "form-data; name=\"h\""], body: Data("own".utf8))
      }
      let operation = client.httpRequestOperation(with: form as URLRequest, success: nil)
      try await operation.run()
      let text = try #require(operation.responseString)
      for part in ["from a file", "filename=\"a.json\"", "application/json", "g.txt", "from a stream", "own"] {
        #expect(text.contains(part))
      }
    }
  }
}
