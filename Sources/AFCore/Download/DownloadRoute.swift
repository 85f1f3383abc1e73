import AFSerialization
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// Where the body of a download goes, by what the response says about the part that is already there.
struct DownloadRoute: Sendable {
  let task: TaskCore
  let transfer: TransferHandle
  let session: SessionCore

  /// Where files of downloads are opened, cut and removed: never on the engine's thread.
  static let fileQueue = DispatchQueue(label: "af.download-files", attributes: .concurrent)

  /// Finds the way out, elsewhere.
  func begin() -> ResponseRoute {
    Self.fileQueue.async { transfer.route(route()) }
    return .undecided
  }

  private func route() -> ResponseRoute {
    let (head, downloading, original) = task.state.withLock { ($0.answer.head, $0.downloading, $0.original) }
    guard let head else { return .discard }
    let answer = PartAnswer(head)
    if let kept = downloading.kept, downloading.asksForRest {
      switch ResumeDecision(kept.part, answer) {
      case .append(let first, let end, let total):
        return append(kept, at: first, BodyInWriting(kept, at: first, end: end, total: total))
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
    let requested = RequestedRange(range(of: original))
    let decision = FirstDecision(requested, answer)
    if case .refuse(let reason) = decision { return .cancel(unusable(reason)) }
    if let kept = downloading.kept { drop(kept) }
    return begin(BodyInWriting(decision, head))
  }

  /// The range that the caller, or the session, asks for.
  private func range(of request: HopRequest) -> String? {
    request.value("Range") ?? session.settings.additionalHeaders.first { $0.name.equalsIgnoringCase("Range") }?.value
  }

  // MARK: The routes

  private func begin(_ body: BodyInWriting) -> ResponseRoute {
    let directory =
      task.state.withLock { $0.owner.closures.temporaryDirectory } ?? FileManager.default.temporaryDirectory.path
    do {
      return write(body, to: try DownloadFile(directory: directory))
    } catch {
      return .cancel(noFile(error))
    }
  }

  private func append(_ kept: ResumeData, at first: Int64, _ body: BodyInWriting) -> ResponseRoute {
    do {
      let file = try DownloadFile(continuing: kept.path, offset: first - body.start)
      let isFirst = task.state.withLock { !$0.downloading.hasGoneOn }
      let route = write(body, to: file)
      task.state.withLock { state in
        state.downloading.kept = nil
        state.downloading.keptData = nil
        state.progress.counts.received = file.offset
        state.progress.counts.expectedToReceive = body.expected
      }
      if isFirst { announceResume(file.offset, body.goal.map { $0 - body.start }) }
      return route
    } catch {
      return .cancel(noFile(error))
    }
  }

  private func write(_ body: BodyInWriting, to file: DownloadFile) -> ResponseRoute {
    file.sink.connect(
      onRoom: { [transfer] in transfer.resumeReceiving() },
      onFailure: { [weak task] error in
        guard let task else { return }
        let url = task.state.withLock { $0.current.url }
        task.cancel(URLError.unwritableDownload(url, error))
      })
    let isWanted = task.state.withLock { state -> Bool in
      guard !state.isOver else { return false }
      state.body.file = file
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
      task.state.withLock { state in
        state.body.file = file
        state.downloading.kept = nil
        state.downloading.keptData = nil
        state.downloading.ignoresBody = true
        // What the user asked for is there; the answer only says that nothing is left to send.
        state.answer.head = ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: \(kept.offset)\r\n".utf8))
        state.answer.response = nil
        state.progress.counts.received = kept.offset
      }
      return .discard
    } catch {
      return .cancel(noFile(error))
    }
  }

  /// Asks for the whole, once.
  private func askForWhole(_ reason: String) -> ResponseRoute {
    let isSecond = task.state.withLock { state -> Bool in
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
    let url = task.state.withLock { $0.current.url }
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
    task.state.withLock { state in
      state.downloading.ignoresBody = true
      if state.failure.reason == nil { state.failure.reason = error }
    }
    return .discard
  }

  /// What the response serializer has against a response, as far as that can be said before its body has come: against its
  /// status, and against its type if it has a body.
  private func serializerError(_ head: ResponseHead, hasBody: Bool = false) -> (any Error)? {
    guard let manager = task.state.withLock({ $0.owner.manager }),
      let serializer = manager.currentResponseSerializer() as? AFHTTPResponseSerializer
    else { return nil }
    do {
      // Without a byte no content type is wrong.
      try serializer.validate(task.httpResponse, data: hasBody ? Data([0]) : Data())
      return nil
    } catch let error as AFURLResponseSerializationError {
      return error.with(data: nil)
    } catch {
      return error
    }
  }

  private func drop(_ kept: ResumeData) {
    unlink(kept.path)
    task.state.withLock { state in
      state.downloading.kept = nil
      state.downloading.keptData = nil
      state.downloading.isResumed = false
    }
  }

  /// Tells the block where the download goes on.
  private func announceResume(_ offset: Int64, _ total: Int64?) {
    let (manager, blocks) = task.state.withLock { state in
      state.downloading.reported = offset
      state.hasQueuedCallbacks = true
      return (state.owner.manager, state.owner.blocks)
    }
    guard let manager, blocks.interests.contains(.resumeDownload) else { return }
    session.callbackQueue.async { [task, session] in
      guard let shell = task.downloadShell else { return }
      manager.urlSession(
        session.shell, downloadTask: shell, didResumeAtOffset: offset, expectedTotalBytes: total ?? -1)
    }
  }

  private func unusable(_ reason: String) -> URLError {
    .unusableAnswer(task.state.withLock { $0.current.url }, reason)
  }

  private func noFile(_ error: any Error) -> URLError {
    let url = task.state.withLock { $0.current.url }
    return URLError.make(
      .cannotCreateFile, url: url, "The download has no file to go to: \(String(describing: error))", underlying: error)
  }
}

extension URLError {
  static func unusableAnswer(_ url: String, _ reason: String) -> URLError {
    make(.badServerResponse, url: url, "The server's answer is of no use for the download: \(reason)")
  }

  static func unwritableDownload(_ url: String, _ error: any Error) -> URLError {
    make(
      .cannotWriteToFile, url: url, "The download cannot be written: \(String(describing: error))", underlying: error)
  }
}

extension BodyInWriting {
  /// The length that the file will have, or -1.
  var expected: Int64 { goal.map { $0 - start } ?? -1 }
}
