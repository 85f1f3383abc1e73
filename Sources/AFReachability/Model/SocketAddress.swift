import Glibc

/// An address and, for link-local ones, the number of the interface it is on.
package struct SocketAddress: Hashable, Sendable {
  package let address: IPAddress
  package let scope: Int32?

  package init(address: IPAddress, scope: Int32? = nil) {
    self.address = address
    self.scope = scope
  }

  /// Reads a `sockaddr_in` or `sockaddr_in6`; nil if it is of another family.
  package init?(_ pointer: UnsafeRawPointer?) {
    guard let pointer else { return nil }
    switch Int32(pointer.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      let value = pointer.loadUnaligned(as: sockaddr_in.self)
      let address = withUnsafeBytes(of: value.sin_addr) { IPAddress($0, family: .ipv4) }
      guard let address else { return nil }
      self.address = address
      scope = nil
    case AF_INET6:
      let value = pointer.loadUnaligned(as: sockaddr_in6.self)
      let address = withUnsafeBytes(of: value.sin6_addr) { IPAddress($0, family: .ipv6) }
      guard let address else { return nil }
      self.address = address
      scope = value.sin6_scope_id == 0 ? nil : Int32(clamping: value.sin6_scope_id)
    default: return nil
    }
  }
}
