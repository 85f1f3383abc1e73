/// How the clients of `upload` and `download` that use Swift's concurrency go about it: all transfers at once.
enum BulkPace {
  /// Makes `count` transfers together under the meter; each gives the bytes it moved. Returns their sum.
  static func measure(_ meter: Meter, count: Int, _ transfer: @escaping @Sendable (Int) async throws -> Int64)
    async throws -> Int64
  {
    meter.start()
    let total = try await withThrowingTaskGroup(of: Int64.self) { group in
      for index in 0..<count { group.addTask { @concurrent in try await transfer(index) } }
      return try await group.reduce(0, +)
    }
    meter.stop(units: total)
    return total
  }
}
