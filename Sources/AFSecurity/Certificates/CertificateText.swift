import COpenSSL
import Foundation

/// Reading certificates from DER and PEM bytes, and writing PEM.
enum CertificateText {
  /// The largest file that is read: thirty times a complete set of public authorities.
  static let maximumFileSize = 4 << 20

  static func contents(of url: URL) throws(AFSecurityError) -> Data {
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      // One byte more than allowed tells a file that is too large from one that just fits.
      let data = try file.read(upToCount: maximumFileSize + 1) ?? Data()
      guard data.count <= maximumFileSize else {
        throw AFSecurityError(.unreadableFile, "\(url.path) is larger than \(maximumFileSize >> 20) MiB")
      }
      return data
    } catch let error as AFSecurityError {
      throw error
    } catch {
      throw AFSecurityError(.unreadableFile, "\(url.path) cannot be read: \(error.localizedDescription)")
    }
  }

  static func certificates(in data: Data) throws(AFSecurityError) -> [AFCertificate] {
    if let single = X509Handle(der: data) ?? X509Handle(der: derPart(of: data)) {
      return [AFCertificate(handle: single)]
    }
    let blocks = try pemBlocks(in: data).filter { ["CERTIFICATE", "X509 CERTIFICATE"].contains($0.label) }
    let result = try blocks.map { block throws(AFSecurityError) in
      guard let handle = X509Handle(der: block.contents) else {
        throw AFSecurityError(.invalidCertificate, "the PEM block at byte \(block.offset) is not a certificate")
      }
      return AFCertificate(handle: handle)
    }
    guard !result.isEmpty else {
      throw AFSecurityError(.invalidCertificate, "\(data.count) bytes hold no certificate, neither DER nor PEM")
    }
    return result
  }

  /// What comes before white space behind a DER value, such as the line break that an editor adds; nothing if something else follows.
  ///
  /// The value's own length says where it ends: its last byte may be one that text takes for a space.
  private static func derPart(of data: Data) -> Data {
    let bytes = data.prefix(6)
    guard bytes.count == 6, bytes[bytes.startIndex] == 0x30 else { return Data() }
    let lengths = Array(bytes.dropFirst())
    var header = 2
    var length = Int(lengths[0])
    if length >= 0x80 {
      let count = length - 0x80
      guard (1...4).contains(count) else { return Data() }
      header += count
      length = lengths[1...count].reduce(0) { $0 << 8 | Int($1) }
    }
    let whole = data.prefix(header + length)
    guard whole.count == header + length, data.dropFirst(whole.count).allSatisfy({ " \t\r\n".utf8.contains($0) }) else {
      return Data()
    }
    return whole
  }

  struct PEMBlock {
    var label: String
    var contents: Data
    /// Where the block begins.
    var offset: Int
  }

  /// The blocks of a PEM text (RFC 7468); what stands between them is ignored.
  ///
  /// - Throws: `invalidCertificate` for a block that does not end or is not base64, so that a damaged file never passes for
  ///   a shorter one.
  static func pemBlocks(in data: Data) throws(AFSecurityError) -> [PEMBlock] {
    var blocks: [PEMBlock] = []
    var position = data.startIndex
    let dashes = Data("-----".utf8)
    while let begin = data.range(of: Data("-----BEGIN ".utf8), in: position..<data.endIndex) {
      let offset = begin.lowerBound - data.startIndex
      guard let labelEnd = data.range(of: dashes, in: begin.upperBound..<data.endIndex) else {
        throw AFSecurityError(.invalidCertificate, "the PEM block at byte \(offset) does not end")
      }
      let label = String(decoding: data[begin.upperBound..<labelEnd.lowerBound], as: UTF8.self)
      guard let end = data.range(of: Data("-----END \(label)-----".utf8), in: labelEnd.upperBound..<data.endIndex)
      else {
        throw AFSecurityError(.invalidCertificate, "the PEM block at byte \(offset) does not end")
      }
      let body = data[labelEnd.upperBound..<end.lowerBound].filter { !" \t\r\n".utf8.contains($0) }
      // Blocks with headers (encrypted traditional keys) are not base64 as a whole; they are no certificates.
      let contents = Data(base64Encoded: body)
      if contents == nil, label.hasSuffix("CERTIFICATE") {
        throw AFSecurityError(.invalidCertificate, "the PEM block at byte \(offset) is not base64")
      }
      blocks.append(PEMBlock(label: label, contents: contents ?? Data(), offset: offset))
      position = end.upperBound
    }
    return blocks
  }

  static func pem(label: String, _ der: Data) -> String {
    let body = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
  }
}
