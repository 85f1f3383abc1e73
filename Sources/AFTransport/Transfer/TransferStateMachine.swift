import AFSupport

/// The logic of one hop: events in, actions out. No I/O, no clock, no libcurl; ``Transfer`` carries the actions out.
///
/// It guarantees that a hop is completed exactly once, that the first cause of an end is the one reported, and that bytes
/// flow only while nobody holds them back.
struct TransferStateMachine {
  /// Who holds a direction back. It flows while nobody does.
  struct Holds: OptionSet, Sendable {
    let rawValue: UInt8
    static let user = Holds(rawValue: 1 << 0)
    /// The rate limit says later.
    static let rate = Holds(rawValue: 1 << 1)
    /// Receiving: the sink is full. Sending: the body's reader has nothing yet.
    static let peer = Holds(rawValue: 1 << 2)
    /// Receiving: nobody has said yet where the body goes.
    static let route = Holds(rawValue: 1 << 3)
  }

  private enum State {
    case running
    /// Over for libcurl, but the body's route is still undecided, and whoever decides must have the answer; or the sink has no
    /// room for all of the body yet.
    case awaitingRoute
    case completed
  }

  enum LineAction: Equatable {
    case none
    /// The final response's head is complete.
    case deliverHead
    /// The head is complete, but libcurl may answer it itself (authentication): deliver it when a body or the end comes.
    case holdHead
    case abort
  }

  enum FlowAction: Equatable { case flow, pause, abort }

  private var state = State.running
  private(set) var failure: TransferFailure?
  private(set) var receiving: Holds = []
  private(set) var sending: Holds = []
  private(set) var head: [UInt8] = []
  private(set) var trailers: [UInt8] = []
  private(set) var isHeadComplete = false
  private(set) var isHeadDelivered = false
  private(set) var responseStarted = false
  private var attempts = 0
  private var answeredAttempts = 0
  private let maximumHeadSize: Int
  private let isIdempotent: Bool
  private let answersServer: Bool
  private let answersProxy: Bool
  private let asksForUpgrade: Bool

  /// `asksForUpgrade`: the request has an `Upgrade` field, so that a 101 answers it. `answersServer`, `answersProxy`: libcurl has credentials and may answer a 401, or a 407, itself.
  init(
    maximumHeadSize: Int, isIdempotent: Bool, answersServer: Bool = false, answersProxy: Bool = false,
    asksForUpgrade: Bool = false
  ) {
    self.maximumHeadSize = maximumHeadSize
    self.isIdempotent = isIdempotent
    self.answersServer = answersServer
    self.answersProxy = answersProxy
    self.asksForUpgrade = asksForUpgrade
  }

  var isCompleted: Bool {
    if case .completed = state { return true }
    return false
  }

  // MARK: The request

  /// Whether libcurl has sent the request more than once.
  var wasRepeated: Bool { attempts > 1 }

  /// Whether libcurl has been let send the request.
  var wasSent: Bool { attempts > 0 }

  /// A request is about to go out. False: it must not.
  ///
  /// libcurl silently repeats a request when a reused connection dies before a byte of the answer. An idempotent one may be
  /// repeated once; another only if the server said that it had not touched it (`wasRefusedUnprocessed`); and none of which
  /// somebody has seen an answer.
  mutating func requestWillBeSent(wasRefusedUnprocessed: Bool = false) -> Bool {
    guard failure == nil else { return false }
    attempts += 1
    // What has been delivered of an answer cannot be taken back. libcurl starts over all the same when the server asks for
    // HTTP/1.1 in the midst of one.
    guard !isHeadDelivered else {
      failure = TransferFailure(kind: .connectionLost, message: "The server broke its answer off")
      return false
    }
    let unanswered = attempts - 1 - answeredAttempts
    guard unanswered > 0 else { return true }
    if unanswered == 1, isIdempotent || wasRefusedUnprocessed { return true }
    failure = TransferFailure(
      kind: .connectionLost, message: "The connection was closed by the server before it answered")
    return false
  }

  // MARK: The response's head

  /// A header line with its line end, of any response: interim, final, trailers.
  mutating func headerLine(_ line: UnsafeRawBufferPointer) -> LineAction {
    guard failure == nil else { return .abort }
    responseStarted = true
    if line.count >= 5, line[0] == 0x48, line[1] == 0x54, line[2] == 0x54, line[3] == 0x50, line[4] == 0x2F {
      head.removeAll(keepingCapacity: true)
      // Most heads fit, and growing line by line would move each of them several times.
      head.reserveCapacity(512)
      isHeadComplete = false
      answeredAttempts = attempts
    }
    let isBlank = line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
    if isHeadComplete {
      guard trailers.count + line.count <= maximumHeadSize else { return oversized() }
      if !isBlank { trailers.append(contentsOf: line) }
      return .none
    }
    guard isBlank else {
      guard head.count + line.count <= maximumHeadSize else { return oversized() }
      head.append(contentsOf: line)
      return .none
    }
    let status = ResponseHead.statusCode(of: head)
    if status == 101, !asksForUpgrade {
      failure = TransferFailure(
        kind: .badFraming, message: "The server changed to another protocol, which it had not been asked to")
      return .abort
    }
    if (100..<200).contains(status), status != 101 {
      head.removeAll(keepingCapacity: true)
      return .none
    }
    isHeadComplete = true
    return answersServer && status == 401 || answersProxy && status == 407 ? .holdHead : .deliverHead
  }

  private mutating func oversized() -> LineAction {
    failure = TransferFailure(
      kind: .oversizedHead, message: "The response's header fields are larger than \(maximumHeadSize) bytes")
    return .abort
  }

  /// Whether a held head is still to be delivered, now that a body or the end has come.
  var hasUndeliveredHead: Bool { isHeadComplete && !isHeadDelivered }

  /// The handler has seen the head; `isRouted` unless it could not say yet where the body goes.
  mutating func headDelivered(isRouted: Bool) {
    isHeadDelivered = true
    if !isRouted { receiving.insert(.route) }
  }

  // MARK: Flow

  func bodyArrived() -> FlowAction {
    if failure != nil { return .abort }
    return receiving.isEmpty ? .flow : .pause
  }

  func bodyWanted() -> FlowAction {
    if failure != nil { return .abort }
    return sending.isEmpty ? .flow : .pause
  }

  /// Holds receiving back, or lets it go. True if bytes may flow that could not before.
  mutating func holdReceiving(_ hold: Holds, _ isHeld: Bool) -> Bool {
    Self.change(&receiving, hold, isHeld)
  }

  mutating func holdSending(_ hold: Holds, _ isHeld: Bool) -> Bool {
    Self.change(&sending, hold, isHeld)
  }

  private static func change(_ holds: inout Holds, _ hold: Holds, _ isHeld: Bool) -> Bool {
    let wasHeld = !holds.isEmpty
    if isHeld { holds.insert(hold) } else { holds.remove(hold) }
    return wasHeld && holds.isEmpty
  }

  /// Whether silence counts: not while we ourselves hold the bytes back. A body's reader that has nothing is silence too.
  var countsIdleTime: Bool { receiving.isEmpty && sending.isDisjoint(with: [.user, .rate]) }

  // MARK: The end

  /// Something ends the hop before libcurl does. The first cause counts; false if the hop is already over.
  mutating func fail(_ cause: TransferFailure) -> Bool {
    if case .completed = state { return false }
    if failure == nil { failure = cause }
    return true
  }

  /// libcurl is done, or the hop was taken from it. Returns whether to complete now; `ended(_:)`'s cause is in ``failure``.
  /// `holdsBody`: some of the body waits for room in its sink.
  mutating func ended(_ cause: TransferFailure?, holdsBody: Bool = false) -> Bool {
    guard case .running = state else { return false }
    if failure == nil { failure = cause }
    failure?.responseStarted = responseStarted
    if failure == nil, holdsBody || receiving.contains(.route) {
      state = .awaitingRoute
      return false
    }
    state = .completed
    return true
  }

  /// Whether the hop is over for libcurl, and waits for no decision about the body's way any more.
  var isBodyDue: Bool {
    if case .awaitingRoute = state { return !receiving.contains(.route) }
    return false
  }

  /// The route was decided, or will never be, after the end; or the last of the body is in its sink. Returns whether to complete now.
  mutating func endedWhileAwaitingRoute() -> Bool {
    guard case .awaitingRoute = state else { return false }
    state = .completed
    return true
  }
}
