import Foundation

extension FileBodyReader {
  /// So much is read of a file whose length is not told.
  static let largestContent = 16 << 20

  /// The content of a regular file whose size says nothing: /proc tells 0 for each, /sys a page, and neither takes up blocks. Of
  /// another file nil; a small one without blocks, which a file system may keep beside its name, is read as well.
  /// - Throws: ``POSIXFailure`` if it cannot be read, ``FileBodyError`` if it is too large to be read to see its length.
  static func content(of descriptor: Int32, _ info: stat, _ path: String) throws -> [UInt8]? {
    guard info.st_size == 0 || (info.st_blocks == 0 && info.st_size <= 1 << 20) else { return nil }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = block.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(content.count)) }
      guard count != 0 else { return content }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw POSIXFailure(call: "read", path: path)
      }
      guard content.count + count <= largestContent else {
        throw FileBodyError.unknownLength(path: path, limit: largestContent)
      }
      content.append(contentsOf: block[..<count])
    }
  }
}
