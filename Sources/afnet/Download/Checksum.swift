import AFSecurity
import AFSupport
import Foundation

/// `sha256:HEX`: what a file must be.
struct Checksum: Sendable, Equatable {
  let expected: String

  init(_ text: String) throws(ToolFailure) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = (parts.last ?? "").lowercased()
    let names = ["sha256", "sha-256"]
    guard parts.count == 1 || names.contains(parts[0].lowercased()), digits.utf8.count == 64,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { throw .usage("--checksum takes sha256: and 64 hexadecimal digits") }
    expected = digits
  }

  /// The SHA-256 of a file, in hexadecimal digits.
  static func sha256(of path: String) throws(ToolFailure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let digest = RunningDigest(.sha256) else {
      throw ToolFailure(.file, "\(POSIXFailure(call: "open", path: path))")
    }
    defer { close(descriptor) }
    var block = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(descriptor, &block, block.count)
      if count == 0 { return digest.finish() }
      if count > 0 { block.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
      if count < 0, errno != EINTR { throw ToolFailure(.file, "\(POSIXFailure(call: "read", path: path))") }
    }
  }

  func check(_ path: String) throws(ToolFailure) {
    let found = try Self.sha256(of: path)
    guard found == expected else {
      throw ToolFailure(
        .checksum, "the file is not the one that is meant: its SHA-256 is \(found), not \(expected); it was removed")
    }
  }
}
