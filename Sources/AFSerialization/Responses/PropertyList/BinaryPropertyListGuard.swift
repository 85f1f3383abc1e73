package import Foundation

/// Checks how large a binary property list becomes before Foundation builds it.
///
/// In the binary format containers hold references, and one object may be held in many places. Foundation makes a copy for
/// each of them, so a few hundred bytes that hold the next array twice, forty times over, ask for a terabyte. Here every
/// object is looked at once, and what it becomes is added up.
package struct BinaryPropertyListGuard {
  /// What one object becomes.
  private struct Extent {
    /// The bytes of contents, and a constant for each value.
    var weight: Int
    /// Levels of containers, this one included.
    var height: Int
  }

  /// What a value weighs beside its contents.
  private static let valueWeight = 16
  /// How deep containers may be nested: as deep as JSON may be.
  static let maximumDepth = 512

  private let bytes: UnsafeRawBufferPointer
  private let trailer: Trailer
  private let maximumWeight: Int
  private var extents: [Int: Extent] = [:]
  /// The containers on the way to the present object.
  private var open: Set<Int> = []

  /// Where the parts of the list are: its last 32 bytes.
  private struct Trailer {
    let offsetSize: Int
    let referenceSize: Int
    let objectCount: Int
    let topObject: Int
    let offsetTable: Int
  }

  /// How much a list of so many bytes may become: a text of a hundred bytes in ten thousand places is common, a megabyte
  /// in a thousand is not.
  static func maximumWeight(of count: Int) -> Int { 16 << 20 + 64 * count }

  /// - Throws: Foundation's error for a damaged property list if `data` is a binary one that holds itself, is nested deeper
  ///   than 512 levels, or becomes more than ``maximumWeight(of:)``. Other formats pass.
  /// - Returns: What it becomes, in bytes of contents and 16 for each value; 0 for other formats.
  @discardableResult
  package static func check(_ data: Data) throws -> Int {
    guard data.starts(with: Data("bplist".utf8)) else { return 0 }
    return try data.withUnsafeBytes { bytes in
      guard let trailer = trailer(of: bytes) else { throw fault("its trailer is damaged") }
      var list = BinaryPropertyListGuard(
        bytes: bytes, trailer: trailer, maximumWeight: maximumWeight(of: bytes.count))
      return try list.extent(of: trailer.topObject, depth: 0).weight
    }
  }

  private init(bytes: UnsafeRawBufferPointer, trailer: Trailer, maximumWeight: Int) {
    self.bytes = bytes
    self.trailer = trailer
    self.maximumWeight = maximumWeight
  }

  private static func trailer(of bytes: UnsafeRawBufferPointer) -> Trailer? {
    guard bytes.count >= 40 else { return nil }
    let start = bytes.count - 32
    func number(_ offset: Int) -> Int? { integer(in: bytes, at: start + offset, size: 8) }
    guard let count = number(8), let top = number(16), let table = number(24) else { return nil }
    let trailer = Trailer(
      offsetSize: Int(bytes[start + 6]), referenceSize: Int(bytes[start + 7]), objectCount: count, topObject: top,
      offsetTable: table)
    let (tableSize, isTooLarge) = count.multipliedReportingOverflow(by: trailer.offsetSize)
    guard (1...8).contains(trailer.offsetSize), (1...8).contains(trailer.referenceSize), !isTooLarge,
      table >= 8, table <= start, tableSize <= start - table
    else { return nil }
    return trailer
  }

  /// The big-endian number of `size` bytes, or nil if it is not within the bytes, or no `Int`.
  private static func integer(in bytes: UnsafeRawBufferPointer, at position: Int, size: Int) -> Int? {
    guard position >= 0, size >= 0, position <= bytes.count, size <= bytes.count - position else { return nil }
    var value: UInt64 = 0
    for byte in bytes[position..<position + size] {
      guard value >> 56 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return Int(exactly: value)
  }

  private mutating func extent(of object: Int, depth: Int) throws -> Extent {
    if let known = extents[object] {
      guard depth + known.height <= Self.maximumDepth else { throw Self.tooDeep }
      return known
    }
    guard object < trailer.objectCount,
      let position = Self.integer(
        in: bytes, at: trailer.offsetTable + object * trailer.offsetSize, size: trailer.offsetSize),
      position >= 8, position < trailer.offsetTable
    else { throw Self.fault("a reference leads nowhere") }
    let extent = try extent(at: position, object: object, depth: depth)
    extents[object] = extent
    return extent
  }

  private mutating func extent(at position: Int, object: Int, depth: Int) throws -> Extent {
    let marker = bytes[position]
    let kind = marker >> 4
    switch kind {
    case 0x4, 0x5, 0x6, 0x7:
      let count = try header(at: position).count
      let (size, isTooLarge) = count.multipliedReportingOverflow(by: kind == 0x6 ? 2 : 1)
      guard !isTooLarge, size <= bytes.count else { throw Self.fault("a text or data is longer than the list") }
      return Extent(weight: Self.valueWeight + size, height: 0)
    case 0xA, 0xB, 0xC, 0xD:
      guard depth < Self.maximumDepth else { throw Self.tooDeep }
      guard open.insert(object).inserted else { throw Self.fault("a container holds itself") }
      defer { open.remove(object) }
      return try container(at: position, isDictionary: kind == 0xD, depth: depth)
    default:
      return Extent(weight: Self.valueWeight, height: 0)
    }
  }

  private mutating func container(at position: Int, isDictionary: Bool, depth: Int) throws -> Extent {
    var (count, start) = try header(at: position)
    // A dictionary has its keys first, then as many values.
    if isDictionary { count = count.multipliedReportingOverflow(by: 2).partialValue }
    guard count >= 0, count <= (bytes.count - start) / trailer.referenceSize else {
      throw Self.fault("a container is longer than the list")
    }
    var result = Extent(weight: Self.valueWeight, height: 1)
    for index in 0..<count {
      guard
        let child = Self.integer(
          in: bytes, at: start + index * trailer.referenceSize, size: trailer.referenceSize)
      else { throw Self.fault("a reference leads nowhere") }
      let extent = try extent(of: child, depth: depth + 1)
      result.weight += extent.weight
      result.height = max(result.height, extent.height + 1)
      guard result.weight <= maximumWeight else { throw Self.fault("it becomes far larger than it is") }
    }
    return result
  }

  /// How many elements the object at `position` has, and where they begin.
  private func header(at position: Int) throws -> (count: Int, start: Int) {
    let count = Int(bytes[position] & 0x0F)
    guard count == 0x0F else { return (count, position + 1) }
    // The number follows, as an integer of its own.
    guard position + 1 < bytes.count, bytes[position + 1] >> 4 == 0x1, bytes[position + 1] & 0x0F <= 3 else {
      throw Self.fault("a length is damaged")
    }
    let size = 1 << Int(bytes[position + 1] & 0x0F)
    guard let long = Self.integer(in: bytes, at: position + 2, size: size) else {
      throw Self.fault("a length is damaged")
    }
    return (long, position + 2 + size)
  }

  static var tooDeep: NSError { fault("containers are nested deeper than \(maximumDepth) levels") }

  private static func fault(_ problem: String) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: CocoaError.Code.propertyListReadCorrupt.rawValue,
      userInfo: [NSLocalizedDescriptionKey: "The property list cannot be read: \(problem)."])
  }
}
