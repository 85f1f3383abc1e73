import AFSupport
import AFTransport
import Foundation

/// What a hop carries for its server and its proxy, and what the response says about that.
struct HopAuthorization: Sendable {
  let task: TaskCore
  let session: SessionCore

  /// Looks for what the hop is to carry for its server; the field of Basic is put into `request`. The task's own request stays
  /// without it.
  func authenticate(_ request: inout HopRequest) {
    let answers = task.state.withLock { state -> Bool in
      guard !state.ledger.authentication.isEmpty else { return false }
      for asker in state.ledger.authentication.keys { state.ledger.authentication[asker]?.carried = nil }
      return true
    }
    guard answers || !session.logins.isEmpty, let origin = Origin(request.url) else { return }
    let asker = Asker.server(origin)
    let path = RequestTarget.path(request.url)
    let chosen = task.state.withLock { $0.ledger.authentication[asker]?.chosen }
    var carried: AskerLedger.Carried?
    if let chosen, chosen.paths.hold(path) {
      carried = AskerLedger.Carried(answer: chosen, isEarly: false)
    } else if request.value("Authorization") == nil, !session.settings.hasAuthorization,
      let known = session.answer(to: asker, path: path, for: task)
    {
      carried = AskerLedger.Carried(answer: known, isEarly: true)
    }
    guard let carried else { return }
    if let field = carried.answer.field { request.set("Authorization", field) }
    task.state.withLock { $0.ledger.with(asker) { $0.carried = carried } }
  }

  /// The Digest field for the server, computed last: each one counts.
  func digestField(_ request: HopRequest) -> TransferRequest.HeaderField? {
    guard let asker = Origin(request.url).map({ Asker.server($0) }) else { return nil }
    return digestField(asker, "Authorization", request.method, RequestTarget.origin(request.url), request.body)
  }

  private func digestField(_ asker: Asker, _ name: String, _ method: String, _ target: String, _ body: TaskBody)
    -> TransferRequest.HeaderField?
  {
    let (carried, digests) = task.state.withLock {
      ($0.ledger.authentication[asker]?.carried, $0.ledger.bodyDigests)
    }
    guard let carried, let session = carried.answer.digest else { return nil }
    let hash = session.coversBody ? body.digest(session.algorithm.hash) ?? digests[session.algorithm.hash] : nil
    let answer = session.answer(DigestAnswer.Subject(method: method, target: target, bodyHash: hash))
    task.state.withLock { state in
      state.ledger.bodyDigests = [:]
      state.ledger.with(asker) { $0.note(answer) }
    }
    return answer.map { TransferRequest.HeaderField(name, $0.field) }
  }

  /// Looks for what the hop is to carry for its proxy.
  func authenticateProxy(_ transfer: inout TransferRequest, _ body: TaskBody) {
    let route = transfer.options.proxy
    guard let asker = route.asker else { return }
    transfer.options.proxy = route.withoutLogin
    guard !transfer.headers.contains(where: { $0.name.equalsIgnoringCase("Proxy-Authorization") }) else { return }
    let carried: AskerLedger.Carried
    if let chosen = task.state.withLock({ $0.ledger.authentication[asker]?.chosen }) {
      carried = AskerLedger.Carried(answer: chosen, isEarly: false)
    } else if let known = session.answer(to: asker, path: "/", for: task) {
      carried = AskerLedger.Carried(answer: known, isEarly: true)
    } else {
      return
    }
    task.state.withLock { $0.ledger.with(asker) { $0.carried = carried } }
    switch carried.answer.means {
    case .transfer(let authentication): transfer.options.proxyAuthentication = authentication
    case .field(let field): transfer.headers.append(.init("Proxy-Authorization", field))
    case .digest:
      let isTunnel = transfer.url.isSecure
      let target = isTunnel ? RequestTarget.authority(transfer.url) : RequestTarget.absolute(transfer.url)
      let field = digestField(
        asker, "Proxy-Authorization", isTunnel ? "CONNECT" : transfer.method, target, isTunnel ? .none : body)
      if let field { transfer.headers.append(field) }
    }
  }

  /// Takes note of what a response says about what the hop carried: it has been accepted, unless it is asked for again.
  /// - Returns: The error that ends the task, if the server's proof that it knows the password is wrong.
  func note(_ head: ResponseHead) -> (any Error)? {
    let status = head.statusCode
    let (carried, url) = task.state.withLock { state -> ([Asker: AskerLedger], String) in
      if state.ledger.authentication.isEmpty || state.ledger.caching.isServing { return ([:], "") }
      return (state.ledger.authentication.filter { $0.value.carried != nil }, state.current.url)
    }
    guard !carried.isEmpty else { return nil }
    let origin = Origin(url)
    for (asker, ledger) in carried {
      // A 407 is the proxy's: the server has not seen the request.
      guard status != 407, asker.isProxy || status != 401 else { continue }
      if case .server(let other) = asker, other != origin { continue }
      // What comes through a tunnel says nothing of the proxy, but that it made the tunnel.
      if let answer = ledger.carried?.answer, let sent = ledger.carried?.digest, !asker.isProxy || !url.isSecure {
        let info = AuthenticationInfo(head, isProxy: asker.isProxy)
        if info.contradicts(sent) { return AFDigestProofError().urlError(url) }
        if let next = info.nextNonce { answer.digest?.take(nextNonce: next, after: sent.nonce) }
      }
      let news = task.state.withLock { $0.ledger.with(asker) { $0.accepted() } }
      if let news, news.isRepeatable || asker.isProxy { session.logins.remember(news, for: asker) }
    }
    return nil
  }
}

extension SessionSettings {
  /// Whether every request of the session says who it is.
  var hasAuthorization: Bool { additionalHeaders.contains { $0.name.equalsIgnoringCase("Authorization") } }
}

extension String {
  /// Whether it is a URL of https.
  var isSecure: Bool { prefix(6).lowercased() == "https:" }
}
