import Foundation

/// What became of a name.
package enum NameResolution: Sendable, Equatable {
  case addresses([SocketAddress])
  /// `isFinal`: the name is known not to exist, which later tries will not change soon.
  case failed(reason: String, isFinal: Bool)
}

/// Turns names into addresses. It may block: it is called on queues of its own.
package struct NameResolver: Sendable {
  package let resolve: @Sendable (String) -> NameResolution

  package init(_ resolve: @escaping @Sendable (String) -> NameResolution) {
    self.resolve = resolve
  }

  /// What `getaddrinfo` says: hosts file, DNS and whatever else the system is set up for.
  package static let system = NameResolver { name in
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else {
      return .failed(reason: String(cString: gai_strerror(code)), isFinal: code == EAI_NONAME)
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next {
      if let address = SocketAddress(UnsafeRawPointer(entry.pointee.ai_addr)), !addresses.contains(address) {
        addresses.append(address)
      }
      next = entry.pointee.ai_next
    }
    return .addresses(addresses)
  }

  /// At most so many names are looked up at one time, by all monitors of the process together.
  private static let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.name = "af.reachability.names"
    queue.maxConcurrentOperationCount = 4
    return queue
  }()

  /// Resolves `name` on another thread.
  func resolve(_ name: String, completion: @escaping @Sendable (NameResolution) -> Void) {
    Self.queue.addOperation { completion(resolve(name)) }
  }
}
