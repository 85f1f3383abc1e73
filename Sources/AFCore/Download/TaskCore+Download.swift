import AFSerialization
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Where files of downloads are opened, cut and removed: never on the engine's thread.
  static let fileQueue = DispatchQueue(label: "af.download-files", attributes: .concurrent)

  /// Where a download's body goes, by what the response says about the part that is already there. Found out elsewhere.
  func downloadRoute(_ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    Self.fileQueue.async { transfer.route(self.fileRoute(transfer, session)) }
    return .undecided
  }

  private func fileRoute(_ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let (head, downloading, original) = state.withLock { ($0.head, $0.downloading, $0.original) }
    guard let head else { return .discard }
    let answer = PartAnswer(head)
    if let kept = downloading.kept, downloading.asksForRest {
      switch ResumeDecision(kept.part, answer) {
      case .append(let first, let end, let total):
        return append(kept, at: first, BodyInWriting(kept, at: first, end: end, total: total), transfer, session)
      case .complete: return adopt(kept)
      case .changed:
        drop(kept)
        return askForWhole("it is of another version")
      case .unusable(let reason): return askForWhole(reason)
      case .gone: drop(kept)
      case .refused: return refuse(head, kept)
      case .whole:
        if let route = refusal(of: head, kept) { return route }
        drop(kept)
      }
    } else if let kept = downloading.kept {
      // The whole was asked for, and the part is still there in case of a refusal.
      guard [200, 203, 206].contains(head.statusCode) else { return refuse(head, kept) }
      if let route = refusal(of: head, kept) { return route }
    }
    let requested = RequestedRange(range(of: original, session))
    let decision = FirstDecision(requested, answer)
    if case .refuse(let reason) = decision { return .cancel(unusable(reason)) }
    if let kept = downloading.kept { drop(kept) }
    return begin(BodyInWriting(decision, head), transfer)
  }

  /// The range that the caller, or the session, asks for.
  private func range(of request: HopRequest, _ session: SessionCore) -> String? {
    request.value("Range") ?? session.settings.additionalHeaders.first { $0.name.equalsIgnoringCase("Range") }?.value
  }

  // MARK: The routes

  private func begin(_ body: BodyInWriting, _ transfer: TransferHandle) -> ResponseRoute {
    let directory = state.withLock { $0.closures.temporaryDirectory } ?? FileManager.default.temporaryDirectory.path
    do {
      return write(body, to: try DownloadFile(directory: directory), transfer)
    } catch {
      return .cancel(noFile(error))
    }
  }

  private func append(
    _ kept: ResumeData, at first: Int64, _ body: BodyInWriting, _ transfer: TransferHandle, _ session: SessionCore
  ) -> ResponseRoute {
    do {
      let file = try DownloadFile(continuing: kept.path, offset: first - body.start)
      let isFirst = state.withLock { !$0.downloading.hasGoneOn }
      let route = write(body, to: file, transfer)
      state.withLock { state in
        state.downloading.kept = nil
        state.downloading.keptData = nil
        state.counts.received = file.offset
        state.counts.expectedToReceive = body.expected
      }
      if isFirst { announceResume(file.offset, body.goal.map { $0 - body.start }, session) }
      return route
    } catch {
      return .cancel(noFile(error))
    }
  }

  private func write(_ body: BodyInWriting, to file: DownloadFile, _ transfer: TransferHandle) -> ResponseRoute {
    file.sink.connect(
      onRoom: { transfer.resumeReceiving() },
      onFailure: { [weak self] error in
        guard let self else { return }
        let url = state.withLock { $0.current.url }
        cancel(
          URLError.make(
            .cannotWriteToFile, url: url, "The download cannot be written: \(String(describing: error))",
            underlying: error))
      })
    let isWanted = state.withLock { state -> Bool in
      guard !state.isOver else { return false }
      state.download = file
      state.downloading.writing = body
      return true
    }
    // A part that the app may go on with outlives a task that ended meanwhile.
    if !isWanted, file.offset > 0 { file.keep() }
    return isWanted ? .sink(file.sink) : .discard
  }

  /// The file is complete already: the answer's own body is of no interest.
  private func adopt(_ kept: ResumeData) -> ResponseRoute {
    do {
      let file = try DownloadFile(continuing: kept.path, offset: kept.offset)
      state.withLock { state in
        state.download = file
        state.downloading.kept = nil
        state.downloading.keptData = nil
        state.downloading.ignoresBody = true
        // What the user asked for is there; the answer only says that nothing is left to send.
        state.head = ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: \(kept.offset)\r\n".utf8))
        state.response = nil
        state.counts.received = kept.offset
      }
      return .discard
    } catch {
      return .cancel(noFile(error))
    }
  }

  /// Asks for the whole, once.
  private func askForWhole(_ reason: String) -> ResponseRoute {
    let isSecond = state.withLock { state -> Bool in
      guard !state.downloading.hasRestarted else { return true }
      state.downloading.hasRestarted = true
      state.downloading.asksForRest = false
      state.next = state.ledger.firstRequest(state.original, current: state.current)
      return false
    }
    return isSecond ? .cancel(unusable(reason)) : .discard
  }

  // MARK: Refusals

  /// The answer says nothing about the part: the task fails, and the part stays.
  private func refuse(_ head: ResponseHead, _ kept: ResumeData) -> ResponseRoute {
    let url = state.withLock { $0.current.url }
    return fail(
      with: serializerError(head)
        ?? URLError.make(.badServerResponse, url: url, "The rest of the download was refused (\(head.statusCode))"))
  }

  /// The way of a new whole that the response serializer does not accept, such as a portal's page; nil if it does.
  private func refusal(of head: ResponseHead, _ kept: ResumeData) -> ResponseRoute? {
    if let error = serializerError(head) { return fail(with: error) }
    // A serializer of JSON refuses the type of most downloads; what is of the type that came first is no portal's page.
    guard let first = kept.mediaType, first != head.mediaType else { return nil }
    return serializerError(head, hasBody: head.contentLength != 0).map { fail(with: $0) }
  }

  private func fail(with error: any Error) -> ResponseRoute {
    state.withLock { state in
      state.downloading.ignoresBody = true
      if state.reason == nil { state.reason = error }
    }
    return .discard
  }

  /// What the response serializer has against a response, as far as that can be said before its body has come: against its
  /// status, and against its type if it has a body.
  private func serializerError(_ head: ResponseHead, hasBody: Bool = false) -> (any Error)? {
    guard let manager = state.withLock({ $0.manager }),
      let serializer = manager.currentResponseSerializer() as? AFHTTPResponseSerializer
    else { return nil }
    do {
      // Without a byte no content type is wrong.
      try serializer.validate(httpResponse, data: hasBody ? Data([0]) : Data())
      return nil
    } catch let error as AFURLResponseSerializationError {
      return error.with(data: nil)
    } catch {
      return error
    }
  }

  private func drop(_ kept: ResumeData) {
    unlink(kept.path)
    state.withLock { state in
      state.downloading.kept = nil
      state.downloading.keptData = nil
      state.downloading.isResumed = false
    }
  }

  func unusable(_ reason: String) -> URLError {
    let url = state.withLock { $0.current.url }
    return URLError.make(.badServerResponse, url: url, "The server's answer is of no use for the download: \(reason)")
  }

  private func noFile(_ error: any Error) -> URLError {
    let url = state.withLock { $0.current.url }
    return URLError.make(
      .cannotCreateFile, url: url, "The download has no file to go to: \(String(describing: error))", underlying: error)
  }
}

extension BodyInWriting {
  /// The length that the file will have, or -1.
  var expected: Int64 { goal.map { $0 - start } ?? -1 }
}
