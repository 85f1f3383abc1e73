import Foundation

/// The server's half of an NTLM exchange (MS-NLMP), as far as a test needs it: it knows the three messages by their bytes, and
/// does not check the proof.
package enum TestNTLM {
  /// What a client's `Authorization` or `Proxy-Authorization` holds.
  package enum Message: Equatable, Sendable {
    case none
    /// Type 1.
    case negotiate
    /// Type 3, by this user; `proof` is how long the NT response is.
    case authenticate(user: String, proof: Int)
    case malformed(String)
  }

  private static let signature = Array("NTLMSSP\0".utf8)
  private static let unicode: UInt32 = 0x1
  private static let flags: UInt32 = unicode | 0x4 | 0x200 | 0x8000 | 0x0080_0000

  package static func message(in field: String?) -> Message {
    guard let field, field.hasPrefix("NTLM ") else { return .none }
    guard let data = Data(base64Encoded: String(field.dropFirst(5))) else { return .malformed("not base64") }
    let bytes = Array(data)
    guard bytes.starts(with: signature), bytes.count >= 16 else { return .malformed("no signature") }
    switch number(bytes, 8) {
    case 1: return .negotiate
    case 3:
      guard bytes.count >= 64, let proof = buffer(bytes, 20), let user = buffer(bytes, 36) else {
        return .malformed("a type 3 message that points outside itself")
      }
      let isUnicode = number(bytes, 60) & unicode != 0
      let name = String(data: Data(user), encoding: isUnicode ? .utf16LittleEndian : .ascii)
      return .authenticate(user: name ?? "", proof: proof.count)
    default: return .malformed("type \(number(bytes, 8))")
    }
  }

  /// The type 2 message, as the value of a `WWW-Authenticate` or `Proxy-Authenticate` field.
  package static var challenge: String {
    let target: [UInt8] = Array("T".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let information: [UInt8] = [2, 0, 2, 0] + target + [0, 0, 0, 0]
    let start = UInt32(48)
    var bytes = signature + little(2)
    bytes += buffer(UInt16(target.count), at: start)
    bytes += little(flags)
    bytes += [1, 2, 3, 4, 5, 6, 7, 8]
    bytes += [0, 0, 0, 0, 0, 0, 0, 0]
    bytes += buffer(UInt16(information.count), at: start + UInt32(target.count))
    bytes += target + information
    return "NTLM " + Data(bytes).base64EncodedString()
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// What a length and an offset at `place` point to.
  private static func buffer(_ bytes: [UInt8], _ place: Int) -> ArraySlice<UInt8>? {
    let count = Int(number(bytes, place) & 0xFFFF)
    let start = Int(number(bytes, place + 4))
    return start + count <= bytes.count ? bytes[start..<start + count] : nil
  }

  private static func buffer(_ count: UInt16, at start: UInt32) -> [UInt8] {
    let length = [UInt8(count & 0xFF), UInt8(count >> 8)]
    return length + length + little(start)
  }

  private static func little(_ value: UInt32) -> [UInt8] { Array(value.bigEndianBytes.reversed()) }
}
