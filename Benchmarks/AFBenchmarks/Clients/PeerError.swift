import CBenchmarkPeers

/// Calls a peer written in C, which answers less than zero and puts a text into its argument when it fails.
func withPeerError<Result: BinaryInteger>(_ call: (UnsafeMutablePointer<CChar>) -> Result) throws -> Result {
  try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AFB_ERROR_SIZE)) { buffer in
    buffer.initialize(repeating: 0)
    guard let text = buffer.baseAddress else { throw BenchmarkError("no room for an error") }
    let result = call(text)
    if result < 0 { throw BenchmarkError(String(cString: text)) }
    return result
  }
}
