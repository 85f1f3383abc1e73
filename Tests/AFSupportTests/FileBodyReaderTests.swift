import AFSupport
import AFTestSupport
import Dispatch
import Foundation
import Testing

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
    var iterator = wakeUps.makeAsyncIterator()
    var buffer = [UInt8](repeating: 0, count: readSize)
    var body = Data()
    while true {
      switch buffer.withUnsafeMutableBytes({ reader.read(into: $0) }) {
      case .bytes(let count): body.append(contentsOf: buffer[..<count])
      case .wait: await iterator.next()
      case .end: return body
      case .failed(let error): throw error
      }
    }
  }
}
