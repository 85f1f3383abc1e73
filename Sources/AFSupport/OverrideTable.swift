/// Tells which members of an open class a subclass overrides.
///
/// AFNetworking asks the Objective-C runtime; without one, a subclass would have to be called for everything, and would take the
/// long way although it overrides nothing. So the class's method table is looked at. Where each member stands in it is not assumed
/// but measured, with small subclasses ("probes") that override one member each. If anything is not as expected there is no table,
/// and the caller has to take everything for overridden: that is always right, and only slower.
package struct OverrideTable<Members: OptionSet & Sendable>: Sendable {
  private struct Slot {
    let index: Int
    let members: Members
  }

  private let base: MethodTable
  private let slots: [Slot]

  /// - Parameters:
  ///   - base: The open class.
  ///   - plain: A subclass of it that overrides nothing.
  ///   - probes: Subclasses that override one member each, and what stands for that member.
  package init?(base: AnyClass, plain: AnyClass, probes: [(AnyClass, Members)]) {
    guard let base = MethodTable(base), let plain = MethodTable(plain), plain.count >= base.count else { return nil }
    var slots: [Slot] = []
    for (probe, members): (AnyClass, Members) in probes {
      guard let table = MethodTable(probe), table.count >= base.count else { return nil }
      // Initializers differ in every subclass; another member only where it is overridden. A property has several places: for
      // reading, writing and changing it.
      let places = (0..<base.count).filter { plain[$0] == base[$0] && table[$0] != base[$0] }
      guard !places.isEmpty else { return nil }
      slots += places.map { Slot(index: $0, members: members) }
    }
    guard Set(slots.map(\.index)).count == slots.count else { return nil }
    self.base = base
    self.slots = slots
  }

  /// What `type`, a subclass of the table's class, overrides; nil if that cannot be told.
  package func overrides(of type: AnyClass) -> Members? {
    guard let table = MethodTable(type), table.count >= base.count else { return nil }
    var members: Members = []
    for slot in slots where table[slot.index] != base[slot.index] { members.formUnion(slot.members) }
    return members
  }
}

/// The words of a class's metadata that follow its header: its methods among them.
///
/// The header of a class without Objective-C is 56 bytes; the size of the whole stands at byte 32 and the offset of its
/// address point at byte 36.
private struct MethodTable {
  private static let headerSize = 56
  private let address: UInt
  let count: Int

  init?(_ type: AnyClass) {
    guard MemoryLayout<Int>.size == 8, MemoryLayout<AnyClass>.size == 8 else { return nil }
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let size = Int(metadata.load(fromByteOffset: 32, as: UInt32.self))
    let addressPoint = Int(metadata.load(fromByteOffset: 36, as: UInt32.self))
    let length = size - addressPoint - Self.headerSize
    guard metadata.load(as: Int.self) == 0, addressPoint > 0, addressPoint < 256, length > 0, length < 1 << 16,
      length % 8 == 0
    else { return nil }
    address = UInt(bitPattern: metadata + Self.headerSize)
    count = length / 8
  }

  subscript(index: Int) -> Int {
    // A class's metadata is never freed.
    UnsafeRawPointer(bitPattern: address)?.load(fromByteOffset: index * 8, as: Int.self) ?? 0
  }
}
