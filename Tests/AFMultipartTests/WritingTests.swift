import AFMultipart
import AFSupport
import AFTestSupport
import Dispatch
import Foundation
import Glibc
import Testing

/// Bodies written to files and output streams.
@Suite struct WritingTests {
  private func form() -> AFMultipartForm {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data("v".utf8), name: "k")
    form.append(
      AFMultipartPart(name: "s", content: .stream(length: 700_000) { InputStream(data: patternedData(700_000)) }))
    return form
  }

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("afwriting-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
  }

  private func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test("AF-X028: the file has what the stream has, and nothing else is left in its directory")
  func file() async throws {
    try await withDirectory { directory in
      let form = form()
      let file = directory.appendingPathComponent("body")
      let seen = ProgressLog()
      try await form.makeBodyStream().write(to: file) { seen.add($0) }
      #expect(try Data(contentsOf: file) == drain(form.makeBodyStream()))
      #expect(try names(in: directory) == ["body"])
      #expect(seen.values == seen.values.sorted())
      #expect(seen.values.last == form.contentLength)
    }
  }

  @Test("AF-X028: the handler is called on the main queue, with nil, once the file is there")
  func handlerOnMain() async throws {
    try await withDirectory { directory in
      let form = form()
      let file = directory.appendingPathComponent("body")
      let stream = form.makeBodyStream()
      let mainKey = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: mainKey, value: true)
      let (error, wasMain) = await withCheckedContinuation { continuation in
        let progress = stream.write(to: file) { error in
          continuation.resume(returning: (error, DispatchQueue.getSpecific(key: mainKey) == true))
        }
        #expect(progress.totalUnitCount == form.contentLength)
      }
      #expect(error == nil)
      #expect(wasMain)
      let written = try Data(contentsOf: file)
      #expect(Int64(written.count) == form.contentLength)
    }
  }

  @Test("What was written with a progress is let go of afterwards")
  func nothingIsKept() async throws {
    try await withDirectory { directory in
      let dropped = Locked(WeakProgress())
      await withCheckedContinuation { continuation in
        let progress = form().makeBodyStream()
          .write(to: directory.appendingPathComponent("body"), queue: .global()) { _ in continuation.resume() }
        dropped.withLock { $0.progress = progress }
      }
      try await eventually("the progress is gone") { dropped.withLock { $0.progress == nil } }
    }
  }

  private struct WeakProgress {
    weak var progress: Progress?
  }

  @Test("A file that was there is replaced when all is written, with its rights, and behind a link")
  func replacement() async throws {
    try await withDirectory { directory in
      let file = directory.appendingPathComponent("body")
      try Data("old".utf8).write(to: file)
      chmod(file.path, 0o640)
      let link = directory.appendingPathComponent("link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      let form = form()
      try await form.makeBodyStream().write(to: link)
      #expect(try Data(contentsOf: file) == drain(form.makeBodyStream()))
      #expect(try names(in: directory) == ["body", "link"])
      var info = stat()
      #expect(stat(file.path, &info) == 0 && info.st_mode & 0o777 == 0o640)
      #expect(lstat(link.path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK)
    }
  }

  @Test("A body that fails leaves the old file as it was, and nothing else")
  func failure() async throws {
    try await withDirectory { directory in
      let file = directory.appendingPathComponent("body")
      try Data("old".utf8).write(to: file)
      let form = AFMultipartForm()
      form.appendPart(withForm: Data(count: 1 << 20), name: "k")
      form.append(AFMultipartPart(name: "s", content: .stream(InputStream(data: Data(count: 5)), length: 10)))
      let error = await #expect(throws: AFMultipartError.self) { try await form.makeBodyStream().write(to: file) }
      #expect(error?.code == .endedEarly)
      #expect(try Data(contentsOf: file) == Data("old".utf8))
      #expect(try names(in: directory) == ["body"])
    }
  }

  @Test(
    "AF-X028: what cannot be written to is reported, by name",
    arguments: ["/no/such/directory/file", "/dev/full", "/proc/file", "/tmp"])
  func unwritable(path: String) async throws {
    let file = URL(fileURLWithPath: path)
    let error = await #expect(throws: AFMultipartError.self) { try await form().makeBodyStream().write(to: file) }
    #expect(error?.code == .writeFailed)
    #expect(error?.fileURL?.path == path)
    #expect(error?.underlyingError is any CustomNSError)
    let stream = form().makeBodyStream()
    let reported = await withCheckedContinuation { continuation in
      stream.write(to: file) { continuation.resume(returning: $0) }
    }
    #expect((reported as? AFMultipartError)?.code == .writeFailed)
  }

  @Test("A URL that is no file URL is reported")
  func notFileURL() async throws {
    let url = try #require(URL(string: "https://example.org/body"))
    let error = await #expect(throws: AFMultipartError.self) { try await form().makeBodyStream().write(to: url) }
    #expect(error?.code == .notFileURL)
  }

  @Test("A disk that becomes full: the error says so, and nothing is left", .enabled(if: geteuid() == 0))
  func diskFull() async throws {
    try await withDirectory { directory in
      try #require(mount("tmpfs", directory.path, "tmpfs", 0, "size=256k") == 0)
      defer { umount2(directory.path, 2) }
      let file = directory.appendingPathComponent("body")
      let error = await #expect(throws: AFMultipartError.self) { try await form().makeBodyStream().write(to: file) }
      #expect(error?.code == .writeFailed)
      #expect((error?.underlyingError as NSError?)?.code == Int(ENOSPC))
      #expect(try names(in: directory).isEmpty)
    }
  }

  @Test("A cancelled task ends the writing at once, also while it waits, and leaves nothing")
  func cancelTask() async throws {
    try await withDirectory { directory in
      let file = directory.appendingPathComponent("body")
      let gate = DispatchSemaphore(value: 0)
      defer { gate.signal() }
      let task = Task {
        let form = AFMultipartForm()
        let stream = ScriptedStream([.bytes(Data(count: 300_000)), .block(gate)])
        form.append(AFMultipartPart(name: "s", content: .stream(stream, length: nil)))
        try await form.makeBodyStream().write(to: file)
      }
      // All that there is has been written, so it waits.
      try await eventually {
        let written = try names(in: directory).first.map { directory.appendingPathComponent($0).path }
        return try written.map { try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int ?? 0 > 300_000 }
          ?? false
      }
      let begun = MonotonicTime.now
      task.cancel()
      let opener = DispatchWorkItem { gate.signal() }
      DispatchQueue.global().asyncAfter(deadline: .now() + 5, execute: opener)
      await #expect(throws: CancellationError.self) { try await task.value }
      opener.cancel()
      #expect(MonotonicTime.now - begun < 4)
      #expect(try names(in: directory).isEmpty)
    }
  }

  @Test("A cancelled progress ends the writing")
  func cancelProgress() async throws {
    try await withDirectory { directory in
      let gate = DispatchSemaphore(value: 0)
      defer { gate.signal() }
      let form = AFMultipartForm()
      let blocked = ScriptedStream([.block(gate)])
      form.append(AFMultipartPart(name: "s", content: .stream(blocked, length: nil)))
      let stream = form.makeBodyStream()
      let error = await withCheckedContinuation { continuation in
        let progress = stream.write(to: directory.appendingPathComponent("body"), queue: .global()) {
          continuation.resume(returning: $0)
        }
        progress.cancel()
      }
      #expect(error is CancellationError)
      let left = try names(in: directory)
      #expect(left.isEmpty)
    }
  }

  @Test("The throttle of a form does not slow its writing down")
  func throttleDoesNotCount() async throws {
    try await withDirectory { directory in
      let form = form()
      form.throttleBandwidth(withPacketSize: 10, delay: 100)
      form.bandwidthLimit = AFBandwidthLimit(bytesPerSecond: 1)
      let ends = Recorder<Bool>()
      let progress = form.makeBodyStream().write(to: directory.appendingPathComponent("body"), queue: .global()) {
        ends.record($0 == nil)
      }
      defer { progress.cancel() }
      let ended = try await ends.wait(for: 1)
      #expect(ended == [true])
    }
  }

  @Test("H50: an output stream that takes a few bytes at a time gets all of them")
  func outputStream() async throws {
    let form = form()
    let sink = ShortWritingStream(limit: .max)
    try await form.makeBodyStream().write(to: sink)
    #expect(try sink.data == drain(form.makeBodyStream()))
    #expect(sink.streamStatus == .closed, "who opens it closes it")
    let memory = OutputStream(toMemory: ())
    memory.open()
    try await form.makeBodyStream().write(to: memory)
    #expect(memory.streamStatus == .open, "who opened it closes it")
    #expect(memory.property(forKey: .dataWrittenToMemoryStreamKey) as? Data == sink.data)
  }

  @Test("H50: an output stream that takes no more, or fails, is an error and not an endless loop")
  func outputStreamFails() async throws {
    let full = ShortWritingStream(limit: 1_000)
    // With a handler: an endless loop could not be cancelled.
    let ends = Recorder<AFMultipartError.Code?>()
    form().makeBodyStream().write(to: full, queue: .global()) { ends.record(($0 as? AFMultipartError)?.code) }
    let code = try await ends.wait(for: 1)
    #expect(code == [.writeFailed])
    #expect(full.streamStatus == .closed)
    let failing = ShortWritingStream(limit: 1_000, failure: NSError(domain: "test", code: 5))
    let other = await #expect(throws: AFMultipartError.self) { try await form().makeBodyStream().write(to: failing) }
    #expect((other?.underlyingError as NSError?)?.domain == "test")
    let unopenable = try #require(OutputStream(toFileAtPath: "/no/such/file", append: false))
    let third = await #expect(throws: AFMultipartError.self) { try await form().makeBodyStream().write(to: unopenable) }
    #expect(third?.code == .writeFailed)
  }
}

/// Takes seven bytes at a time, up to a limit.
private final class ShortWritingStream: OutputStream {
  private let limit: Int
  private let failure: NSError?
  private var status = Stream.Status.notOpen
  private(set) var data = Data()

  init(limit: Int, failure: NSError? = nil) {
    self.limit = limit
    self.failure = failure
    super.init(toMemory: ())
  }

  required init(toMemory: ()) {
    limit = .max
    failure = nil
    super.init(toMemory: ())
  }

  override func open() { status = .open }
  override func close() { status = .closed }
  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { failure }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    let count = min(len, 7, limit - data.count)
    guard count > 0 else {
      if failure != nil { status = .error }
      return failure == nil ? 0 : -1
    }
    data.append(buffer, count: count)
    return count
  }
}

/// The numbers of a progress closure.
private final class ProgressLog: Sendable {
  private let state = Locked([Int64]())
  var values: [Int64] { state.withLock { $0 } }
  func add(_ value: Int64) { state.withLock { $0.append(value) } }
}
