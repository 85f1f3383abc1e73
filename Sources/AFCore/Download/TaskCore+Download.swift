import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// What a task knows about going on with an interrupted download.
struct DownloadState: Sendable {
  /// What to go on with; nil once the download has begun anew.
  var resume: ResumeData?
  var hasRestarted = false
  /// The whole length that a good answer announced.
  var total: Int64?
  /// The bytes of which the write block has been told.
  var reported: Int64 = 0
  var resumeData: Data?
  var onResumeData: (@Sendable (Data?) -> Void)?
}

extension TaskCore {
  /// Makes the task go on with an interrupted download; with data that is none, makes it fail.
  func begin(with resume: ResumeData?) {
    guard let resume else {
      return refuse(URLError.make(.cannotDecodeRawData, url: "", "The resume data cannot be read"))
    }
    guard let size = (try? FileManager.default.attributesOfItem(atPath: resume.path))?[.size] as? NSNumber,
      size.int64Value >= resume.offset
    else { return }
    state.withLock { state in
      state.downloading.resume = resume
      state.current = resume.requestForRest
    }
  }

  /// Where a download's body goes, by what the response says about the part that is already there.
  func downloadRoute(_ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let (head, downloading, closures) = state.withLock { ($0.head, $0.downloading, $0.closures) }
    guard let head else { return .discard }
    var partial: String?
    var offset: Int64 = 0
    if let resume = downloading.resume {
      switch Continuation(head, resume) {
      case .goOn(let start):
        partial = resume.path
        offset = start
      case .complete:
        return adopt(resume)
      case .restart:
        unlink(resume.path)
        return restart(resume, transfer)
      case .whole:
        unlink(resume.path)
      }
    }
    do {
      let directory = closures.temporaryDirectory ?? FileManager.default.temporaryDirectory.path
      let file = try DownloadFile(directory: directory, continuing: partial, offset: offset)
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
      state.withLock { state in
        state.download = file
        state.downloading.resume = nil
        state.downloading.total = head.wholeLength
      }
      if partial != nil { announceResume(offset, head.wholeLength, session) }
      return .sink(file.sink)
    } catch {
      return .cancel(
        URLError.make(
          .cannotCreateFile, url: state.withLock { $0.current.url },
          "The download has no file to go to: \(String(describing: error))", underlying: error))
    }
  }

  /// The file is complete already: the answer's own body is of no interest.
  private func adopt(_ resume: ResumeData) -> ResponseRoute {
    do {
      let file = try DownloadFile(directory: "", continuing: resume.path, offset: resume.offset)
      state.withLock { state in
        state.download = file
        state.downloading.resume = nil
        // What the user asked for is there; the 416 only says that nothing is left to send.
        state.head = ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: \(resume.offset)\r\n".utf8))
        state.counts.received = resume.offset
      }
      return .discard
    } catch {
      return .cancel(error)
    }
  }

  /// Asks for the whole, once.
  private func restart(_ resume: ResumeData, _ transfer: TransferHandle) -> ResponseRoute {
    let (request, hasRestarted) = state.withLock { state in
      defer {
        state.downloading.resume = nil
        state.downloading.hasRestarted = true
      }
      return (state.current, state.downloading.hasRestarted)
    }
    guard !hasRestarted else {
      return .cancel(
        URLError.make(.badServerResponse, url: request.url, "The server refuses the rest and the whole of the download")
      )
    }
    var whole = request
    whole.remove(["Range", "If-Range"])
    state.withLock { $0.next = whole }
    return .discard
  }

  /// The transfer into the file is over, well or not.
  func close(_ file: DownloadFile) {
    state.withLock { $0.phase = .closing }
    file.sink.finish { result in
      let failure = self.state.withLock { state -> (any Error)? in
        if case .failure(let error) = result, state.reason == nil, state.error == nil {
          state.error = URLError.make(
            .cannotWriteToFile, url: state.current.url, "The download cannot be written: \(String(describing: error))",
            underlying: error)
        }
        return state.reason ?? state.error
      }
      guard failure == nil else {
        self.keepForResuming(file, (try? result.get()) ?? 0)
        return self.finish()
      }
      self.place(file)
    }
  }

  /// Brings the finished file to where it is wanted.
  private func place(_ file: DownloadFile) {
    let (closures, blocks, manager, session) = state.withLock { ($0.closures, $0.blocks, $0.manager, $0.session) }
    guard let manager, let session, let shell = downloadShell,
      closures.destination != nil || blocks.interests.contains(.finishDownload)
    else { return finish() }
    state.withLock { $0.hasQueuedCallbacks = true }
    session.callbackQueue.async {
      manager.urlSession(session.shell, downloadTask: shell, didFinishDownloadingTo: file.url)
      self.finish(file: self.state.withLock { $0.finalURL })
    }
  }

  /// Asks where the file is to go, and moves it there. On the callback queue, from the manager's method.
  func chooseDestination(_ location: URL) {
    let (file, closures, blocks, manager, session) = state.withLock {
      ($0.download, $0.closures, $0.blocks, $0.manager, $0.session)
    }
    guard let file, manager != nil, let session, let shell = downloadShell else { return }
    let target =
      blocks.blocks.didFinishDownloading?(session.shell, shell, location)
      ?? closures.destination?(location, anyResponse)
    guard let target else { return }
    state.withLock { $0.finalURL = target }
    let center = NotificationCenter.default
    do {
      try file.move(to: target)
      center.post(name: .AFURLSessionDownloadTaskDidMoveFileSuccessfully, object: shell)
    } catch {
      state.withLock { $0.error = error }
      let info = (error as NSError).userInfo.reduce(into: [AnyHashable: Any]()) { $0[$1.key] = $1.value }
      center.post(name: .AFURLSessionDownloadTaskDidFailToMoveFile, object: shell, userInfo: info)
    }
  }
}
