package import AFSupport
import CNetlink
import Glibc

/// Keeps a ``NetworkModel`` true to the kernel over one rtnetlink socket. Used by one thread.
///
/// Dumps, look-ups and notifications share the socket, so their order is the order in which things happened.
package final class NetworkWatch {
  package private(set) var model = NetworkModel()
  /// Messages were lost, or never asked for: the model cannot be trusted before ``synchronize()``.
  package private(set) var isStale = true
  /// What happened since the last look at this set; the owner clears it.
  package var changes: NetworkModel.Change = []
  /// Called after each event that may have changed the model's answers, between two messages.
  var modelChanged: () -> Void = {}

  private let socket: NetlinkSocket
  private let port: UInt32
  private var sequence: UInt32 = 0
  private var isSynchronizing = false
  /// The model that a dump fills while ``model`` still answers.
  private var staging: NetworkModel?
  private let classifier: LinkClassifier

  /// How long the kernel may take for an answer. It answers while the request is being sent; this is for a broken one.
  private static let answerTimeout: Int32 = 2_000

  package init(receiveBufferSize: Int?, classifier: LinkClassifier) throws(POSIXFailure) {
    socket = try NetlinkSocket(
      netlinkProtocol: NETLINK_ROUTE, groups: MulticastGroups.all, receiveBufferSize: receiveBufferSize
    )
    port = try socket.port()
    self.classifier = classifier
  }

  var descriptor: Int32 { socket.descriptor }

  /// Reads what is there, at most `limit` datagrams, so that a storm cannot keep the owner from its other duties.
  /// - Returns: how many were read.
  package func receiveAvailable(limit: Int = 512) throws(POSIXFailure) -> Int {
    for count in 0..<limit {
      switch try socket.receive() {
      case .empty: return count
      case .lost: isStale = true
      case .datagram(let size): _ = scan(size, awaiting: nil)
      }
      if isStale { return count + 1 }
    }
    return limit
  }

  /// Forgets everything and asks for everything. False if messages were lost meanwhile: it has to be done again.
  package func synchronize() throws(POSIXFailure) -> Bool {
    guard try discardQueued() else { return false }
    isStale = false
    isSynchronizing = true
    changes = []
    staging = NetworkModel()
    defer {
      staging = nil
      isSynchronizing = false
    }
    if try !dump(MessageType.getRule) { staging?.useDefaultRules() }
    for type in [MessageType.getLink, MessageType.getAddress, MessageType.getRoute] {
      _ = try dump(type)
    }
    guard !isStale, let fresh = staging else {
      isStale = true
      return false
    }
    model = fresh
    changes.formUnion([.paths, .lookUps])
    return true
  }

  /// Throws away what is queued: it is older than the dump that follows, and would undo parts of it. False if there is no
  /// end to it.
  private func discardQueued() throws(POSIXFailure) -> Bool {
    for _ in 0..<100_000 {
      if case .empty = try socket.receive() { return true }
    }
    return false
  }

  /// Asks for the routes again. If more has happened meanwhile, ``changes`` goes on to call them uncertain.
  package func refreshRoutes() throws(POSIXFailure) {
    let before = changes.subtracting(.uncertain)
    changes = []
    staging = NetworkModel()
    defer {
      staging = nil
      changes.formUnion(before)
    }
    _ = try dump(MessageType.getRoute)
    guard !isStale, changes.isDisjoint(with: .uncertain), let fresh = staging else { return }
    if model.takeRoutes(from: fresh) { changes.formUnion([.paths, .lookUps]) }
  }

  /// The route that a new connection to `address` takes now, or nil if there is none or messages were lost.
  func lookUp(_ address: IPAddress, scope: Int32?) throws(POSIXFailure) -> NetworkRoute? {
    sequence &+= 1
    try socket.send(NetlinkRequests.lookUp(address, scope: scope, sequence: sequence))
    guard case .route(let route) = try awaitAnswer() else { return nil }
    return route
  }
}

// MARK: Requests and their answers

extension NetworkWatch {
  private enum Answer {
    case done
    case route(NetworkRoute)
    case refused(Int32)
    case lost
  }

  /// Dumps one kind into ``staging``. False if the kernel does not know it.
  private func dump(_ type: UInt16) throws(POSIXFailure) -> Bool {
    sequence &+= 1
    try socket.send(NetlinkRequests.dump(type, sequence: sequence))
    switch try awaitAnswer() {
    case .done, .lost, .route: return true
    case .refused(EOPNOTSUPP), .refused(EAFNOSUPPORT): return false
    case .refused(let code): throw POSIXFailure(call: "rtnetlink dump", code: code)
    }
  }

  private func awaitAnswer() throws(POSIXFailure) -> Answer {
    while true {
      switch try socket.receive() {
      case .empty:
        if isStale { return .lost }
        guard socket.waitUntilReadable(milliseconds: Self.answerTimeout) else {
          throw POSIXFailure(call: "rtnetlink answer", code: ETIMEDOUT)
        }
      case .lost: isStale = true
      case .datagram(let size):
        if let answer = scan(size, awaiting: sequence) { return answer }
      }
    }
  }

  /// Takes in the messages of the datagram just received.
  /// - Returns: the answer to the request `awaited`, if it ends here.
  private func scan(_ size: Int, awaiting awaited: UInt32?) -> Answer? {
    var messages = NetlinkMessages(socket.bytes(size))
    var answer: Answer?
    do throws(NetlinkFormatError) {
      while let message = try messages.next() {
        if message.sequence == awaited, message.port == port {
          answer = try takeAnswer(message) ?? answer
        } else {
          try notice(message)
        }
      }
    } catch {
      // What the rest said is lost.
      isStale = true
    }
    return answer
  }

  private func takeAnswer(_ message: NetlinkMessage) throws(NetlinkFormatError) -> Answer? {
    // The tables changed while they were dumped: something may be missing.
    if message.flags & MessageFlag.dumpInterrupted != 0 { isStale = true }
    switch message.type {
    case MessageType.done, MessageType.error:
      guard message.payload.count >= 4 else { return .done }
      let code = message.payload.loadUnaligned(as: Int32.self)
      return code < 0 ? .refused(0 &- code) : .done
    case MessageType.newRoute where staging == nil:
      return try NetworkRoute(message).map { .route($0) } ?? .refused(ENETUNREACH)
    default:
      if let event = try NetworkEvent(message) { stage(event) }
      return nil
    }
  }

  @discardableResult
  private func stage(_ event: NetworkEvent) -> NetworkModel.Change {
    let change = staging?.apply(event) ?? []
    if case .link(let update) = event, let link = staging?.links[update.index], link.medium == .unknown {
      staging?.setMedium(model.links[link.index]?.medium ?? classifier.medium(of: link), ofLink: link.index)
    }
    return change
  }

  /// Takes in a message that nobody asked for.
  private func notice(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    if message.type == MessageType.overrun { isStale = true }
    guard let event = try NetworkEvent(message) else { return }
    let staged = stage(event)
    if isSynchronizing {
      changes.formUnion(staged)
      return
    }
    changes.formUnion(model.apply(event))
    if case .link(let update) = event, let link = model.links[update.index], link.medium == .unknown {
      model.setMedium(classifier.medium(of: link), ofLink: link.index)
    }
    if changes.contains(.paths), changes.isDisjoint(with: .pathsUncertain) { modelChanged() }
  }
}
