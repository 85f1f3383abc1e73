import COpenSSL
import Foundation

/// Why a test certificate could not be made.
package struct TestCertificateError: Error, CustomStringConvertible {
  package let description: String

  /// `step` failed; adds OpenSSL's own text and empties its error queue.
  init(_ step: String) {
    var text = [CChar](repeating: 0, count: 256)
    let code = ERR_get_error()
    if code != 0 { ERR_error_string_n(code, &text, text.count) }
    ERR_clear_error()
    let detail = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    description = detail.isEmpty ? step : "\(step): \(detail)"
  }
}

/// What `write` puts into a memory BIO.
func bytes(writtenBy write: (OpaquePointer) -> Int32) throws -> Data {
  guard let bio = BIO_new(BIO_s_mem()) else { throw TestCertificateError("BIO_new") }
  defer { BIO_free_all(bio) }
  guard write(bio) > 0 else { throw TestCertificateError("write") }
  var result = Data()
  var buffer = [UInt8](repeating: 0, count: 4096)
  while case let count = BIO_read(bio, &buffer, Int32(buffer.count)), count > 0 {
    result.append(contentsOf: buffer.prefix(Int(count)))
  }
  return result
}

/// The DER form that an `i2d_…` function writes.
func der(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) throws -> Data {
  var start: UnsafeMutablePointer<UInt8>?
  let count = encode(&start)
  guard count > 0, let start else { throw TestCertificateError("i2d") }
  defer { af_OPENSSL_free(start) }
  return Data(bytes: start, count: Int(count))
}

/// A PEM block with lines of 64 characters.
func pem(_ label: String, _ der: Data) -> String {
  let body = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
  return "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
}

extension Data {
  /// A decoded X.509 certificate, to be freed with `X509_free`.
  func decodedCertificate() throws -> OpaquePointer {
    let certificate = withUnsafeBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      return d2i_X509(nil, &position, bytes.count)
    }
    guard let certificate else { throw TestCertificateError("d2i_X509") }
    return certificate
  }
}
