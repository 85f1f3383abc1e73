import AFTestSupport
import Dispatch
import Foundation
import Testing

@testable import AFSupport

/// A file as a body: from the page cache at once, from the disk by way of a queue.
@Suite struct FileBodyReaderTests {
  @Test("What is not in the page cache arrives whole, whatever the read size", arguments: [1_000, 64 << 10, 1 << 20])
  func cold(readSize: Int) async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("cold.bin")
    let size = 3_000_001
    try TestPattern.write(count: Int64(size), to: file.path)
    let reader = try FileBodyReader(path: file.path, offset: 1, length: Int64(size) - 2)
    #expect(reader.contentLength == Int64(size) - 2)
    for _ in 0..<2 {
      try evict(file)
      #expect(try await drain(reader, readSize) == TestPattern.data(from: 1, count: size - 2))
      try reader.rewind()
    }
    directory.remove()
  }

  @Test("A rewind while the queue is fetching gives the first bytes again, not those that were under way")
  func rewindWhileFetching() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("cold.bin")
    try TestPattern.write(count: 1_000_000, to: file.path)
    let reader = try FileBodyReader(path: file.path)
    var bytes = [UInt8](repeating: 0, count: 100_000)
    for _ in 0..<20 {
      try evict(file)
      _ = bytes.withUnsafeMutableBytes { reader.read(into: $0) }
      _ = bytes.withUnsafeMutableBytes { reader.read(into: $0) }
      try reader.rewind()
    }
    #expect(try await drain(reader, 64 << 10) == TestPattern.data(count: 1_000_000))
    directory.remove()
  }

  @Test("A file that shrinks under way is a failure that says by how much, also from the queue")
  func shrinks() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("f.bin")
    try TestPattern.write(count: 100_000, to: file.path)
    let reader = try FileBodyReader(path: file.path)
    try #require(truncate(file.path, 40_000) == 0)
    try evict(file)
    let error = await #expect(throws: FileBodyError.self) { try await drain(reader, 64 << 10) }
    guard case .shrank(_, expected: 100_000, actual: 40_000) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    directory.remove()
  }

  @Test(
    arguments: [
      (0, nil, 10), (10, nil, 0), (11, nil, nil), (4, 6, 6), (4, 7, nil), (10, 0, 0), (10, 1, nil), (-1, nil, nil),
      (-1, 1, nil),
      (0, -1, nil), (0, .max, nil), (.max, nil, nil),
    ] as [(Int64, Int64?, Int64?)])
  func `A range may end where the file ends, and not behind it; what is refused is closed`(
    offset: Int64, length: Int64?, expected: Int64?
  ) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = try directory.write(Data(count: 10), to: "f.bin").path
    func isOpen() -> Bool {
      (0..<4096).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }
    }
    if let expected {
      var reader: FileBodyReader? = try FileBodyReader(path: path, offset: offset, length: length)
      #expect(reader?.contentLength == expected)
      #expect(isOpen())
      reader = nil
    } else {
      let error = #expect(throws: FileBodyError.self) {
        try FileBodyReader(path: path, offset: offset, length: length)
      }
      guard case .outOfRange(path, _, _, size: 10) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(!isOpen())
  }

  @Test(arguments: ["/dev/null", "/"])
  func `What is no regular file is refused`(path: String) {
    let error = #expect(throws: FileBodyError.self) { try FileBodyReader(path: path) }
    guard case .notRegular(path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `A rewind forgives a failure that is mended`() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data(count: 1000), to: "f.bin")
    let reader = try FileBodyReader(path: file.path)
    try #require(truncate(file.path, 400) == 0)
    await #expect(throws: FileBodyError.self) { try await drain(reader, 100) }
    try #require(truncate(file.path, 1000) == 0)
    try reader.rewind()
    #expect(try await drain(reader, 100) == Data(count: 1000))
  }

  @Test func `A file that does not tell its length is gathered, up to a limit and no further`() throws {
    #expect(try #require(FileBodyReader(path: "/proc/self/status").gathered).starts(with: Data("Name:".utf8)))
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for (count, isTaken) in [(FileBodyReader.largestContent, true), (FileBodyReader.largestContent + 1, false)] {
      let path = try directory.write(Data(count: count), to: "f.bin").path
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      // As a file of /proc says it.
      let untold = stat()
      if isTaken {
        #expect(try FileBodyReader.content(of: descriptor, untold, path)?.count == count)
      } else {
        #expect(throws: FileBodyError.self) { try FileBodyReader.content(of: descriptor, untold, path) }
      }
    }
  }

  /// Makes the kernel forget what it holds of the file in memory.
  private func evict(_ file: URL) throws {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  private func drain(_ reader: FileBodyReader, _ readSize: Int) async throws -> Data {
    let (wakeUps, wake) = AsyncStream.makeStream(of: Void.self)
    reader.setWakeUp { wake.yield() }
    let limit = TimeLimit(seconds: 10) { wake.finish() }
    defer { limit.cancel() }
    var iterator = wakeUps.makeAsyncIterator()
    var buffer = [UInt8](repeating: 0, count: readSize)
    var body = Data()
    while true {
      switch buffer.withUnsafeMutableBytes({ reader.read(into: $0) }) {
      case .bytes(let count): body.append(contentsOf: buffer[..<count])
      case .wait: try #require(await iterator.next() != nil, "the file gives nothing for 10 s")
      case .end: return body
      case .failed(let error): throw error
      }
    }
  }
}
