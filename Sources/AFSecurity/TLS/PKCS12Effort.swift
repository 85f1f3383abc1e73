import COpenSSL
import Foundation

/// A bound on the work that a PKCS#12 file may ask for: whoever wrote it says how often passphrases are hashed, and how often is up
/// to two thousand million times, for each of its parts.
struct PKCS12Effort {
  private var iterations = 0

  /// For all parts together. Ten times what is recommended today, and seconds of a core.
  static let maximum = 5_000_000

  mutating func add(iterations count: Int) throws(AFSecurityError) {
    let (sum, overflow) = iterations.addingReportingOverflow(max(1, count))
    iterations = overflow ? .max : sum
    guard count >= 0, iterations <= Self.maximum else {
      throw AFSecurityError(
        .invalidKey, "the PKCS#12 file asks for more than \(Self.maximum) rounds of hashing its passphrase")
    }
  }

  /// Adds what an algorithm asks for by its parameters.
  mutating func add(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(AFSecurityError) {
    guard let algorithm else { return }
    try add(iterations: Self.rounds(inParameters: encodedDER { i2d_X509_ALGOR(algorithm, $0) }))
  }

  /// The rounds in the DER form of an algorithm with its parameters: whatever numbers are in it, since each key derivation has its
  /// own place for them. scrypt's (RFC 7914) multiply.
  static func rounds(inParameters der: Data) -> Int {
    var numbers: [Int] = []
    collect(der[...], depth: 0, into: &numbers)
    guard der.range(of: scrypt) != nil else { return numbers.reduce(0) { clamped($0.addingReportingOverflow($1)) } }
    return numbers.filter { $0 > 0 }.reduce(1) { clamped($0.multipliedReportingOverflow(by: $1)) }
  }

  private static func clamped(_ result: (partialValue: Int, overflow: Bool)) -> Int {
    result.overflow ? .max : result.partialValue
  }

  /// 1.3.6.1.4.1.11591.4.11.
  private static let scrypt = Data([0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B])

  private static func collect(_ der: Data, depth: Int, into numbers: inout [Int]) {
    var rest = der
    while depth < 8, rest.count >= 2, let tag = rest.popFirst(), let first = rest.popFirst() {
      var length = Int(first)
      if first >= 0x80 {
        let count = Int(first) - 0x80
        guard (1...4).contains(count), rest.count >= count else { return }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      let contents = rest.prefix(length)
      guard contents.count == length else { return }
      rest = rest.dropFirst(length)
      if tag & 0x20 != 0 {
        collect(contents, depth: depth + 1, into: &numbers)
      } else if tag == 0x02 {
        let digits = contents.drop { $0 == 0 }
        numbers.append(digits.count > 7 ? .max : digits.reduce(0) { $0 << 8 | Int($1) })
      }
    }
  }
}
