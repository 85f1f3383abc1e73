/// How much waits to be put into a `URLCache`.
///
/// Foundation looks at every file of its directory for each file that it adds, so responses may come faster than they are written. They wait
/// then. Where memory holds them too, those over a number are kept there only, so that no time is spent; where the disk is
/// all there is, none is lost (F60), as long as what waits does not take too much memory itself.
struct StoreBacklog: Sendable {
  private(set) var count = 0
  private(set) var bytes = 0

  /// So many wait for the disk where memory would do.
  static let countLimit = 16
  /// What would make more than this wait is not kept.
  static let byteLimit = 64 << 20

  enum Place: Equatable, Sendable {
    case wherever
    case inMemoryIfItFits
    case nowhere
  }

  /// Takes in one more, and says where it goes when its turn comes.
  mutating func add(_ size: Int) -> Place {
    count += 1
    bytes += Self.clamped(size)
    if bytes > Self.byteLimit, count > 1 { return .nowhere }
    return count > Self.countLimit ? .inMemoryIfItFits : .wherever
  }

  /// Its turn is over.
  mutating func remove(_ size: Int) {
    count -= 1
    bytes -= Self.clamped(size)
  }

  private static func clamped(_ size: Int) -> Int { min(max(0, size), 1 << 40) }
}
