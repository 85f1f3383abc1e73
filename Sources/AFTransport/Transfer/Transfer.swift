import AFSupport
import CCurl
import Foundation

/// One hop on the engine's thread: the easy handle, the state machine, the body and the route of the response.
///
/// Deliberately not Sendable. libcurl's callbacks reach it through its easy handle, which does not retain it; the loop's table
/// holds the one strong reference, and lets go only after the handle has been taken out of the multi handle.
final class Transfer {
  let id: TransferID
  let request: TransferRequest
  let handler: any TransferHandler
  let handle: TransferHandle
  let origin: AdmissionQueue.Origin
  let authority: Authority
  /// Which of the connections to the origin it may share.
  let label: ConnectionLabel
  let configuration: EngineConfiguration
  let easy: EasyHandle
  var machine: TransferStateMachine

  let turn: EngineTurn
  /// The loop's idea of the present moment.
  var now: MonotonicTime { turn.now }

  // Sending
  var source: BodySource
  var bytesHandedOver: Int64 = 0
  var uploadCredit = 0
  var isSendPaused = false
  /// The socket that libcurl watches for this transfer. (`CURLINFO_ACTIVESOCKET` knows it only after the end.)
  var socket: curl_socket_t?
  var sendAgainAt = MonotonicTime.distantFuture {
    didSet { if sendAgainAt != .distantFuture { turn.dueSooner.append(id) } }
  }

  // Receiving
  var route: ResponseRoute?
  var memory = MemoryBody()
  var decoder: ContentDecoder?
  /// The sink had room again while the transfer was suspended.
  var isDecodingDue = false
  /// The body's length as announced, and what has come of it, both before decoding.
  var announcedLength: Int64?
  var wireBytesReceived: Int64 = 0
  /// The request's `Expect` has been refused, and is sent no more.
  var hasDroppedExpect = false
  /// The answer that comes is that refusal, and is nobody's.
  var isRefusalOfExpect = false
  /// How the end of the response is told; nil before the head is complete.
  var framing: MessageFraming?
  /// Undoes the chunked coding of the body that comes, if it has that.
  var chunks: ChunkedBody?
  /// Runs of a body that came in several chunks at once.
  var joinedChunks: [UInt8] = []
  /// The whole response is here, perhaps before the request's body is sent.
  var isResponseComplete = false {
    didSet { if isResponseComplete, source.isSent || framing?.isFolded == true { turn.answeredEarly.append(id) } }
  }
  /// Judges, once an early answer is complete, whether its server still reads the request's body.
  var uploadStall: UploadStall?
  /// It does not, so the answer is all there is to have.
  var hasStalledAfterAnswer = false
  /// The status of the head that ``framing`` was read from.
  var status = 0
  var bytesReceived: Int64 = 0
  /// When a body that nobody wants is given up.
  var discardsUntil = MonotonicTime.distantFuture {
    didSet { if discardsUntil != .distantFuture { turn.dueSooner.append(id) } }
  }
  var downloadCredit = 0
  var isReceivePaused = false
  var receiveAgainAt = MonotonicTime.distantFuture {
    didSet { if receiveAgainAt != .distantFuture { turn.dueSooner.append(id) } }
  }

  // Time
  var lastActivity: MonotonicTime
  var lastWireCount: Int64 = 0
  var scheduledAt = MonotonicTime.distantFuture
  var lastSendReport: MonotonicTime
  var reportedSent: Int64 = 0
  var lastReceiveReport: MonotonicTime
  var reportedReceived: Int64 = 0
  /// When to tell the handler of bytes that came too soon after the last report; a stall must not swallow them.
  var reportAgainAt = MonotonicTime.distantFuture {
    didSet { if reportAgainAt != .distantFuture { turn.dueSooner.append(id) } }
  }

  // Trust
  var trustHook: TrustHook?
  /// The hook of the connection that the transfer is on, one that others opened too.
  var connectionHook: TrustHook?
  var isFirstOnConnection = false
  var tlsFailure: TransferFailure?
  /// Whether the last handshake that began was the proxy's.
  var wasProxyHandshake = false
  var tlsVersion: String?
  var tlsCipher: String?
  var wasRefusedUnprocessed = false
  /// Whether the request is made anew because a proxy hung up with its question.
  var wasAskedByProxyThatHungUp = false
  /// The HTTP/2 stream, for a request that must know whether it was touched.
  var streamIdentifier: Int?
  var logTopics: LogTopics = []
  /// How often libcurl was about to send the request.
  var requestsBegun = 0
  /// The connection that libcurl chose cannot carry a request; see ``findsSpoiltConnection(_:localPort:)``.
  var isConnectionSpoilt = false
  /// Whether the handle has header fields that are for the proxy alone.
  var carriesProxyFields = false
  /// The proxy's last answer to CONNECT.
  var tunnelAnswer: [UInt8] = []

  init(
    id: TransferID, request: TransferRequest, handler: any TransferHandler, handle: TransferHandle,
    authority: Authority, origin: AdmissionQueue.Origin, label: ConnectionLabel, configuration: EngineConfiguration,
    turn: EngineTurn, easy: EasyHandle
  ) {
    self.id = id
    self.request = request
    self.handler = handler
    self.handle = handle
    self.authority = authority
    self.origin = origin
    self.label = label
    self.configuration = configuration
    self.easy = easy
    self.turn = turn
    source = BodySource(request)
    machine = TransferStateMachine(
      maximumHeadSize: configuration.maximumHeadSize, isIdempotent: request.options.isIdempotent,
      answersServer: request.options.authentication != nil, answersProxy: Self.answersProxy(request.options),
      asksForUpgrade: request.headers.contains { $0.name.utf8.count == 7 && $0.name.lowercased() == "upgrade" })
    lastActivity = turn.now
    lastSendReport = turn.now
    lastReceiveReport = turn.now
  }

  /// Lets libcurl go on in the directions that nobody holds back any more.
  ///
  /// `curl_easy_pause` takes the whole new state (pitfall 7), and may call the write callback before it returns (8), which
  /// may pause again. Its own result is not the transfer's (9).
  func applyFlow() {
    let keepReceivePaused = isReceivePaused && !machine.receiving.isEmpty
    let keepSendPaused = isSendPaused && !machine.sending.isEmpty
    guard keepReceivePaused != isReceivePaused || keepSendPaused != isSendPaused else { return }
    isReceivePaused = keepReceivePaused
    isSendPaused = keepSendPaused
    curl_easy_pause(
      easy.raw, (keepReceivePaused ? CURLPAUSE_RECV : 0) | (keepSendPaused ? CURLPAUSE_SEND : 0))
  }

  func setSuspended(_ isSuspended: Bool) {
    let receives = machine.holdReceiving(.user, isSuspended)
    let sends = machine.holdSending(.user, isSuspended)
    lastActivity = now
    if receives || sends { applyFlow() }
    if !isSuspended, isDecodingDue { resumeReceiving() }
  }
}

/// What the transfers share while the loop makes one turn.
final class EngineTurn {
  let sockets: SocketWatch
  /// The moment that the turn takes for now: read once a turn, not once a callback.
  private(set) var now = MonotonicTime.now
  /// Transfers that have the head of their response.
  var answered: [TransferID] = []
  /// Transfers whose response is complete, perhaps before their request.
  var answeredEarly: [TransferID] = []
  /// Transfers that a callback has held back until a moment, so that the loop must look again sooner than it thought.
  var dueSooner: [TransferID] = []
  /// What the handlers of ended transfers want done once there is nothing else to do.
  var sequels: [TransferSequel] = []

  init(sockets: SocketWatch) { self.sockets = sockets }

  func callSequels() {
    for sequel in sequels { sequel() }
    sequels.removeAll(keepingCapacity: true)
  }

  func advance() { now = .now }
}

extension Transfer {
  /// The transfer that an easy handle belongs to.
  static func of(_ easy: UnsafeMutableRawPointer) -> Transfer? {
    var user: UnsafeMutableRawPointer?
    guard af_curl_getinfo_ptr(easy, CURLINFO_PRIVATE, &user) == CURLE_OK else { return nil }
    return EasyHandle.transfer(user)
  }
}
