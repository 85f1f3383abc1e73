import Foundation

/// A directory that exists as long as the closure runs, on disk or, if there is such a thing, in memory.
func withTemporaryDirectory<Result>(inMemory: Bool = false, _ body: (URL) throws -> Result) throws -> Result {
  let memory = URL(fileURLWithPath: "/dev/shm")
  let isThere = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
  let url = (isThere ? memory : FileManager.default.temporaryDirectory).appendingPathComponent(
    "afmultipart-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url)
}

/// Bytes that differ from their neighbours and from those a page or a buffer later.
func patternedData(_ count: Int, seed: UInt64 = 1) -> Data {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var words = [UInt64](repeating: 0, count: (count + 7) / 8)
  for index in words.indices {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    words[index] = state
  }
  return words.withUnsafeBytes { Data($0.prefix(count)) }
}
