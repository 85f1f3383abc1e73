import Foundation

/// Random parameters, and what they are in a form. The same seed gives the same.
struct RandomParameters: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A value beside its text in a form.
  indirect enum Node {
    case leaf(Any, String)
    case list([Node])
    case table([(String, Node)])

    /// The parameter.
    var value: Any {
      switch self {
      case .leaf(let value, _): value
      case .list(let nodes): nodes.map(\.value)
      case .table(let entries): Dictionary(uniqueKeysWithValues: entries.map { ($0.0, $0.1.value) })
      }
    }

    /// The names and texts in the order of a form, in AFNetworking's spelling.
    func pairs(_ name: String?) -> [[String]] {
      switch self {
      case .leaf(_, let text): [[name ?? "", text]]
      case .list(let nodes): nodes.flatMap { $0.pairs((name ?? "") + "[]") }
      case .table(let entries):
        entries.sorted { $0.0.compare($1.0) == .orderedAscending }
          .flatMap { key, node in node.pairs(name.map { "\($0)[\(key)]" } ?? key) }
      }
    }

    /// What a parser that knows nesting gives back: the same shape, all leaves text.
    var texts: Any {
      switch self {
      case .leaf(_, let text): text
      case .list(let nodes): nodes.map(\.texts)
      case .table(let entries): Dictionary(uniqueKeysWithValues: entries.map { ($0.0, $0.1.texts) })
      }
    }
  }

  /// A table of tables, lists and values, at most `depth` levels, without empty ones, which a form has no way to say.
  mutating func table(depth: Int, key: (inout RandomParameters) -> String) -> Node {
    var keys: Set<String> = []
    for _ in 0..<Int.random(in: 1...5, using: &self) { keys.insert(key(&self)) }
    return .table(keys.sorted().map { ($0, node(depth: depth - 1, key: key)) })
  }

  private mutating func node(depth: Int, key: (inout RandomParameters) -> String) -> Node {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &self) {
    case 0: return .leaf(NSNull(), "")
    case 1: return Bool.random(using: &self) ? .leaf(true, "1") : .leaf(NSNumber(value: false), "0")
    case 2:
      let number = Int.random(in: Int.min...Int.max, using: &self)
      return .leaf(number, "\(number)")
    case 3:
      let number = Int32.random(in: Int32.min...Int32.max, using: &self)
      return Bool.random(using: &self)
        ? .leaf(Double(number), "\(number)") : .leaf(Double(number) + 0.5, "\(Double(number) + 0.5)")
    case 4, 5, 6:
      let text = text(maximum: 30)
      return .leaf(Bool.random(using: &self) ? text : NSString(string: text), text)
    case 7, 8: return table(depth: depth, key: key)
    default: return .list((0..<Int.random(in: 1...4, using: &self)).map { _ in node(depth: depth - 1, key: key) })
    }
  }

  /// Text of any Unicode characters, ASCII and its controls more often than others.
  mutating func text(maximum: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...maximum, using: &self) {
      let range: ClosedRange<UInt32> = Bool.random(using: &self) ? 0...127 : 0...0x10FFFF
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) { scalars.append(scalar) }
    }
    return String(scalars)
  }
}
