import AFMultipart
import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct BodyFileTests {
  private let serializer = AFHTTPRequestSerializer()

  private func formRequest() -> URLRequest {
    serializer.multipartFormRequest(
      withMethod: "POST", urlString: "http://example.com", parameters: ["a": "b"],
      constructingBodyWith: { $0.appendPart(withForm: Data(repeating: 7, count: 600_000), name: "c") }, error: nil
    ) as URLRequest
  }

  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try await body(file)
  }

  @Test("AF-X028 the file has what the stream has; the request has its headers and no stream; the handler runs on main")
  func handler() async throws {
    try await withFile { file in
      let request = formRequest()
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      let (result, isMain): (NSMutableURLRequest, Bool) = try await withCheckedThrowingContinuation { continuation in
        let box = Waiting(continuation)
        box.result = serializer.request(withMultipartForm: request, writingStreamContentsToFile: file) { error in
          box.finish(error, DispatchQueue.getSpecific(key: key) == true)
        }
      }
      #expect(isMain)
      #expect(result.httpBodyStream == nil)
      #expect(result.allHTTPHeaderFields == request.allHTTPHeaderFields)
      try expectWhole(file, request)
    }
  }

  @Test("AF-X028 the async form gives the same")
  func asynchronous() async throws {
    try await withFile { file in
      try Data("longer text that was there before".utf8).write(to: file)
      let request = formRequest()
      let result = try await serializer.request(withMultipartForm: request, writingStreamContentsTo: file)
      #expect(result.httpBodyStream == nil)
      #expect(result.allHTTPHeaderFields == request.allHTTPHeaderFields)
      try expectWhole(file, request)
    }
  }

  @Test("F77 the body stream may be any stream, also Foundation's own, whose streamError traps while there is none")
  func foreignStream() async throws {
    try await withFile { file in
      var request = request("POST")
      request.httpBodyStream = InputStream(data: Data("hello".utf8))
      _ = try await serializer.request(withMultipartForm: request, writingStreamContentsTo: file)
      #expect(try Data(contentsOf: file) == Data("hello".utf8))
    }
  }

  @Test("F77 a stream that fails with a reason, or without one, leaves no file")
  func failsWithAndWithoutReason() async throws {
    try await withFile { file in
      for (stream, isReasoned) in [
        (FailingStream(NSError(domain: "test", code: 7)), true), (FailingStream(nil), false),
      ] {
        var request = request("POST")
        request.httpBodyStream = stream
        let error = await #expect(throws: (any Error).self) {
          try await serializer.request(withMultipartForm: request, writingStreamContentsTo: file)
        }
        if isReasoned {
          #expect((error as NSError?)?.domain == "test")
        } else {
          #expect((error as? AFURLRequestSerializationError)?.reason == .unreadableBodyStream)
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
      }
    }
  }

  private func expectWhole(_ file: URL, _ request: URLRequest) throws {
    let data = try Data(contentsOf: file)
    #expect(request.value(forHTTPHeaderField: "Content-Length") == "\(data.count)")
    #expect(data.starts(with: Data("--Boundary+".utf8)))
    #expect(data.suffix(4) == Data("--\r\n".utf8))
  }

  @Test("AF-X028 a full disk and a file that cannot be opened are errors", arguments: ["/dev/full", "/nowhere/file"])
  func unwritable(_ path: String) async {
    await #expect {
      try await serializer.request(
        withMultipartForm: formRequest(), writingStreamContentsTo: URL(fileURLWithPath: path))
    } throws: { error in
      (error as NSError).domain == NSPOSIXErrorDomain && "\(error)".contains(path)
    }
    #expect(FileManager.default.fileExists(atPath: "/dev/full"))
  }

  @Test("a stream that fails removes the half-written file")
  func failingStream() async throws {
    try await withFile { file in
      var request = request("POST")
      let form = AFMultipartForm()
      form.appendPart(
        with: InputStream(data: Data("short".utf8)), name: "a", fileName: "b", length: 1000, mimeType: "text/plain")
      request.httpBodyStream = form.makeBodyStream()
      await #expect(throws: AFMultipartError.self) {
        try await serializer.request(withMultipartForm: request, writingStreamContentsTo: file)
      }
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test("a request without stream and a URL that is no file are errors, and give a request that cannot be sent")
  func misuse() async throws {
    try await withFile { file in
      await #expect(throws: AFURLRequestSerializationError.self) {
        try await serializer.request(withMultipartForm: request("POST"), writingStreamContentsTo: file)
      }
      let error: (any Error)? = await withCheckedContinuation { continuation in
        let result = serializer.request(
          withMultipartForm: formRequest(), writingStreamContentsToFile: url("http://example.com/file")
        ) { continuation.resume(returning: $0) }
        #expect(result.url?.absoluteString == "about:invalid")
      }
      #expect((error as? AFURLRequestSerializationError)?.reason == .notFileURL("http://example.com/file"))
    }
  }

  @Test("a cancelled task stops writing and removes the file")
  func cancelled() async throws {
    try await withFile { file in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await serializer.request(withMultipartForm: formRequest(), writingStreamContentsTo: file)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }
}

/// The two halves of a call that returns at once and reports later, whichever comes first.
private final class Waiting: @unchecked Sendable {
  // Unchecked because the compiler does not see the lock.
  private let lock = NSLock()
  private var continuation: CheckedContinuation<(NSMutableURLRequest, Bool), any Error>?
  private var outcome: ((any Error)?, Bool)?
  var result: NSMutableURLRequest? {
    get { lock.withLock { stored } }
    set {
      lock.withLock { stored = newValue }
      resumeIfReady()
    }
  }
  private var stored: NSMutableURLRequest?

  init(_ continuation: CheckedContinuation<(NSMutableURLRequest, Bool), any Error>) {
    self.continuation = continuation
  }

  func finish(_ error: (any Error)?, _ isMain: Bool) {
    lock.withLock { outcome = (error, isMain) }
    resumeIfReady()
  }

  private func resumeIfReady() {
    lock.lock()
    guard let stored, let outcome, let continuation else { return lock.unlock() }
    self.continuation = nil
    lock.unlock()
    if let error = outcome.0 {
      continuation.resume(throwing: error)
    } else {
      // The only one who has it is the one who waits.
      nonisolated(unsafe) let request = stored
      continuation.resume(returning: (request, outcome.1))
    }
  }
}

/// A stream that fails at its first read.
private final class FailingStream: InputStream {
  private let error: NSError?
  private var status = Stream.Status.notOpen

  init(_ error: NSError?) {
    self.error = error
    super.init(data: Data())
  }

  override func open() { status = .open }
  override func close() { status = .closed }
  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { error }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    status = .error
    return -1
  }
}
