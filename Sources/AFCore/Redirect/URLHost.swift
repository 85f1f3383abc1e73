import AFSupport
import Foundation
import Glibc

/// Host and port of a Location (WHATWG URL §3.5).
enum URLHost {
  /// The longest name that DNS has, with its dot.
  private static let limit = 254

  /// The authority without user information and without the scheme's own port; nil if it cannot be connected to.
  static func authority(_ text: ArraySlice<UInt8>, isSecure: Bool) -> String? {
    let rest = text.lastIndex(of: UInt8(ascii: "@")).map { text[($0 + 1)...] } ?? text
    let hostEnd: Int
    if rest.first == UInt8(ascii: "[") {
      guard let bracket = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      hostEnd = bracket + 1
    } else {
      hostEnd = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
    }
    guard let host = host(rest[..<hostEnd]) else { return nil }
    let tail = rest[hostEnd...]
    guard let colon = tail.first else { return host }
    guard colon == UInt8(ascii: ":"), tail.dropFirst().allSatisfy(URLBytes.isDigit) else { return nil }
    guard tail.count > 1 else { return host }
    let digits = tail.dropFirst().drop { $0 == UInt8(ascii: "0") }
    guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else { return nil }
    return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
  }

  private static func host(_ text: ArraySlice<UInt8>) -> String? {
    if text.first == UInt8(ascii: "[") { return address6(text.dropFirst().dropLast()) }
    let bytes = unescaped(text)
    guard !bytes.isEmpty, bytes.count <= limit * 4, !bytes.contains(0) else { return nil }
    var name = String(decoding: bytes, as: UTF8.self)
    if bytes.contains(where: { $0 >= 0x80 }) {
      guard let ascii = internationalized(bytes) else { return nil }
      name = ascii
    }
    name = name.lowercased()
    // Stricter than a browser: only what every parser reads alike.
    guard name.utf8.count <= limit, let origin = Origin(url: "http://\(name)/"), origin.host == name else { return nil }
    return endsInNumber(name) ? address4(name) : name
  }

  /// The ASCII form of an internationalized name (UTS 46).
  private static func internationalized(_ bytes: [UInt8]) -> String? {
    guard let name = String(validating: bytes, as: UTF8.self),
      // Nothing but the name is shown to Foundation.
      !name.unicodeScalars.contains(where: { $0.isASCII && !"-._~".unicodeScalars.contains($0) && !isAlphanumeric($0) })
    else { return nil }
    return URL(string: "http://\(name)/")?.host(percentEncoded: false)
  }

  private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
    URLBytes.isLetter(UInt8(truncatingIfNeeded: scalar.value))
      || URLBytes.isDigit(UInt8(truncatingIfNeeded: scalar.value))
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
        URLBytes.isHex(text[index + 1]), URLBytes.isHex(text[index + 2]),
        let byte = UInt8(String(decoding: text[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        bytes.append(byte)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  // MARK: Addresses

  private static func address6(_ text: ArraySlice<UInt8>) -> String? {
    guard text.count <= 45, !text.contains(0) else { return nil }
    var address = in6_addr()
    var shown = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1,
      inet_ntop(AF_INET6, &address, &shown, socklen_t(shown.count)) != nil
    else { return nil }
    return "[\(String(decoding: shown.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))]"
  }

  private static func endsInNumber(_ name: String) -> Bool {
    var labels = name.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "", labels.count > 1 { labels.removeLast() }
    guard let last = labels.last, !last.isEmpty else { return false }
    return last.utf8.allSatisfy(URLBytes.isDigit)
      || last.hasPrefix("0x") && last.utf8.dropFirst(2).allSatisfy(URLBytes.isHex)
  }

  /// An IPv4 address in any of the forms that `inet_aton` knows, as four decimal numbers.
  private static func address4(_ name: String) -> String? {
    var labels = name.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    guard (1...4).contains(labels.count) else { return nil }
    var numbers: [UInt64] = []
    for label in labels {
      guard let number = number(label) else { return nil }
      numbers.append(number)
    }
    guard let last = numbers.popLast(), numbers.allSatisfy({ $0 < 256 }),
      last < UInt64(1) << UInt64(8 * (4 - numbers.count))
    else { return nil }
    let value = numbers.enumerated().reduce(last) { $0 + $1.element << UInt64(8 * (3 - $1.offset)) }
    return (0..<4).map { "\(value >> UInt64(8 * (3 - $0)) & 255)" }.joined(separator: ".")
  }

  private static func number(_ label: Substring) -> UInt64? {
    // Not what Swift takes for a number besides, such as "-0".
    guard label.utf8.allSatisfy({ URLBytes.isHex($0) || $0 == UInt8(ascii: "x") }) else { return nil }
    if label.hasPrefix("0x") { return label.count == 2 ? 0 : UInt64(label.dropFirst(2), radix: 16) }
    if label.count > 1, label.hasPrefix("0") { return UInt64(label.dropFirst(), radix: 8) }
    return label.utf8.allSatisfy(URLBytes.isDigit) ? UInt64(label) : nil
  }
}
