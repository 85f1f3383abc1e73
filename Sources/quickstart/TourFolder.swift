import AFTestSupport
import Foundation

/// Where the tour keeps its files.
struct TourFolder {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  func file(_ name: String) -> URL { folder.file(name) }

  func makeFile(_ name: String, mebibytes: Int64) throws -> (url: URL, size: Int64) {
    let size = mebibytes << 20
    try TestPattern.write(count: size, to: file(name).path)
    return (file(name), size)
  }

  func sha256(_ file: URL) throws -> String { try TestDigest.sha256(ofFile: file.path) }

  func remove() { folder.remove() }
}
