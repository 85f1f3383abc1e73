/// How large a response's body may be.
package struct BodyLimits: Sendable, Hashable {
  /// The largest body that is gathered in memory, in bytes, after decoding. Nil: no limit.
  package var memory: Int64? = 1 << 30
  /// The largest size to which a coded body may be decoded, in bytes, wherever it goes. Nil: no limit.
  package var decoded: Int64?
  /// How many times its size a coded body may grow to, counted once ``freeGrowth`` bytes are decoded. Nil: no limit.
  package var ratio: Int? = 2000

  /// So many decoded bytes are never too many of one body: they harm nobody.
  package static let freeGrowth: Int64 = 64 << 20

  package init() {}

  /// What is wrong with a coded body of which `coded` bytes have become `decoded`, if anything.
  func fault(coded: Int64, decoded: Int64) -> CodingFault? {
    if let limit = self.decoded, decoded > max(0, limit) { return .tooLarge(limit: max(0, limit)) }
    guard let ratio, decoded > Self.freeGrowth else { return nil }
    let (allowed, isVast) = coded.multipliedReportingOverflow(by: Int64(max(1, ratio)))
    return isVast || decoded <= allowed ? nil : .growsTooMuch(ratio: max(1, ratio))
  }

  /// Whether a body of so many bytes may be held in memory.
  package func allowsInMemory(_ count: Int64) -> Bool { memory.map { count <= max(0, $0) } ?? true }

  /// What a transfer fails with whose body may not.
  package var memoryFailure: TransferFailure {
    let limit = max(0, memory ?? .max)
    return TransferFailure(
      kind: .oversizedBody, message: "The body is larger than \(limit) bytes, the limit of what is held in memory")
  }
}
