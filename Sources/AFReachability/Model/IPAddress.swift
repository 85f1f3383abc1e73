import Glibc

/// An IPv4 or IPv6 address, without port or scope.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The kernel's number of the family.
  package enum Family: UInt8, Sendable {
    case ipv4 = 2  // AF_INET
    case ipv6 = 10  // AF_INET6

    var byteCount: Int { self == .ipv4 ? 4 : 16 }
    var bitCount: Int { byteCount * 8 }
  }

  package let family: Family
  /// The bits from the first on; those of an IPv4 address fill the upper half of `high`.
  private let high: UInt64
  private let low: UInt64

  /// The address whose bytes are given in network order, or nil if their number is not the family's.
  package init?(_ bytes: UnsafeRawBufferPointer, family: Family) {
    guard bytes.count == family.byteCount else { return nil }
    self.family = family
    switch family {
    case .ipv4:
      high = UInt64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))) << 32
      low = 0
    case .ipv6:
      high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  /// The address that `text` spells, such as "192.0.2.1" or "2001:db8::1"; nil if it spells none.
  package init?(_ text: String) {
    var buffer: (UInt64, UInt64) = (0, 0)
    let parsed = withUnsafeMutableBytes(of: &buffer) { bytes -> IPAddress? in
      for family in [Family.ipv4, .ipv6] where inet_pton(Int32(family.rawValue), text, bytes.baseAddress) == 1 {
        return IPAddress(UnsafeRawBufferPointer(rebasing: bytes[..<family.byteCount]), family: family)
      }
      return nil
    }
    guard let parsed else { return nil }
    self = parsed
  }

  private init(family: Family, high: UInt64, low: UInt64) {
    self.family = family
    self.high = high
    self.low = low
  }

  /// 0.0.0.0 or `::`.
  package static func unspecified(_ family: Family) -> IPAddress {
    IPAddress(family: family, high: 0, low: 0)
  }

  /// The bytes in network order.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0.prefix(family.byteCount)) }
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let isWritten = bytes.withUnsafeBytes {
      inet_ntop(Int32(family.rawValue), $0.baseAddress, &text, socklen_t(text.count)) != nil
    }
    return isWritten ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "?"
  }

  package var isUnspecified: Bool { high == 0 && low == 0 }

  /// 127.0.0.0/8 or `::1`.
  package var isLoopback: Bool {
    family == .ipv4 ? high >> 56 == 127 : high == 0 && low == 1
  }

  /// 169.254.0.0/16 or fe80::/10.
  package var isLinkLocal: Bool {
    family == .ipv4 ? high >> 48 == 0xa9fe : high >> 54 == 0xfe80 >> 6
  }

  /// Whether the first `length` bits are those of `other`, an address of the same family.
  package func sharesPrefix(_ length: Int, with other: IPAddress) -> Bool {
    guard family == other.family else { return false }
    let first = min(64, length)
    guard first == 0 || (high ^ other.high) >> UInt64(64 - first) == 0 else { return false }
    let second = length - first
    return second <= 0 || (low ^ other.low) >> UInt64(64 - min(64, second)) == 0
  }
}

/// A network: the first bits of its addresses.
package struct IPPrefix: Hashable, Sendable {
  package let address: IPAddress
  package let length: Int

  package init(_ address: IPAddress, _ length: Int) {
    self.address = address
    self.length = length
  }

  /// Whether every address of `other` is one of this network's.
  package func contains(_ other: IPPrefix) -> Bool {
    length <= other.length && address.sharesPrefix(length, with: other.address)
  }

  package func contains(_ other: IPAddress) -> Bool {
    address.sharesPrefix(length, with: other)
  }
}
