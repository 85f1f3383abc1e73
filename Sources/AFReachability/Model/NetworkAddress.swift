import CNetlink

/// An address of an interface.
package struct NetworkAddress: Hashable, Sendable {
  package let linkIndex: Int32
  package let address: IPAddress
  package let prefixLength: Int
  package var flags: UInt32
  package var scope: UInt8

  /// Whether packets to other hosts can have it as their source: not link-local or host-only, not still being checked
  /// for duplicates, and not found to be one.
  package var isUsableSource: Bool {
    let unusable = UInt32(IFA_F_TENTATIVE) | UInt32(IFA_F_DADFAILED)
    let isOptimistic = flags & UInt32(IFA_F_OPTIMISTIC) != 0
    guard flags & unusable == 0 || isOptimistic && flags & UInt32(IFA_F_DADFAILED) == 0 else { return false }
    return scope < UInt8(RT_SCOPE_LINK.rawValue) && !address.isLoopback
  }

  /// Whether it is the same address of the same interface, whatever its flags.
  package func isSame(as other: NetworkAddress) -> Bool {
    linkIndex == other.linkIndex && address == other.address && prefixLength == other.prefixLength
  }
}
