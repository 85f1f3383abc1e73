package import Foundation
import COpenSSL
import AFSupport

/// SHA-256 that goes along with bytes as they pass.
package final class TestDigest {
  private let context: OpaquePointer

  package init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      preconditionFailure("EVP_MD_CTX_new")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The digest of everything so far, in lower case hex. The end of this object's use.
  package func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &digest, nil)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  package static func sha256(_ bytes: some ContiguousBytes) -> String {
    let digest = TestDigest()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }

  /// The digest of a file of any size.
  package static func sha256(ofFile path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    defer { close(descriptor) }
    let digest = TestDigest()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = read(descriptor, buffer.baseAddress, buffer.count), count != 0 {
      guard count > 0 else { throw POSIXFailure(call: "read", path: path) }
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return digest.finish()
  }
}
