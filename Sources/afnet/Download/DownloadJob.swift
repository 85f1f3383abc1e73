import AFArguments
import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// One file to be downloaded, attempt after attempt.
final class DownloadJob: Sendable {
  private struct State {
    var row: ProgressRow
    var meter = RateMeter()
    var hasNote = false
    var began: Date?
    /// How many bytes there were when the last attempt began, and when it was last asked.
    var resumedAt: Int64 = 0
    var length: Int64 = 0
  }

  /// How it ended.
  struct Outcome: Sendable {
    let path: String
    let bytes: Int64
    let seconds: Double
    let resumedAt: Int64
    let statusCode: Int
  }

  let id: Int
  let target: Target
  private let builder: RequestBuilder
  private let client: Client
  private let settings: DownloadSettings
  private let state: Locked<State>

  init(_ id: Int, _ builder: RequestBuilder, _ client: Client, _ settings: DownloadSettings) {
    self.id = id
    self.builder = builder
    self.client = client
    self.settings = settings
    target = builder.target
    let file = settings.file.map { URL(fileURLWithPath: $0).lastPathComponent }
    let name = file ?? target.url.lastPathComponent
    state = Locked(
      State(row: ProgressRow(label: name.isEmpty || name == "/" ? target.host : name.printable(limit: 200))))
  }

  /// Where the file is to be; its last component nil as long as only the server can say it.
  private var folder: String { settings.file.map { DownloadSettings.folder(of: $0) } ?? settings.folder }

  private func path(of name: String) -> String { folder == "." ? name : "\(folder)/\(name)" }

  /// Downloads, and gives the file its name.
  func run(_ retrying: Retrying, _ display: ProgressDisplay) async throws(ToolFailure) -> Outcome {
    let begin = Date()
    let name = settings.file.map { URL(fileURLWithPath: $0).lastPathComponent }
    if let file = settings.file, !settings.overwrites, FileManager.default.fileExists(atPath: file) {
      throw .exists(file)
    }
    let place = try DownloadPlace(
      path: "\(folder)/\(DownloadNaming.placeName(file: name, url: target.url))", url: target.url)
    let request = try builder.request(timeout: client.timeout)
    // What cannot be gone on with is not left behind by a signal.
    let token = Interruption.add { if !place.canGoOn(request) { place.remove() } }
    defer { Interruption.remove(token) }
    let response: AFDataResponse
    do throws(ToolFailure) {
      response = try await retrying.run(
        hasMoved: { self.hasMoved(place) }, say: { display.note("afnet download: \($0)") },
        { _ async throws(ToolFailure) in try await self.attempt(place, request) })
      try settings.checksum?.check(place.finished.path)
    } catch {
      if error.status == .checksum || !place.canGoOn(request) { place.remove() }
      throw error
    }
    let destination = settings.file ?? path(of: response.response.map(DownloadNaming.name) ?? "download")
    let bytes = (try? FileManager.default.attributesOfItem(atPath: place.finished.path))?[.size] as? NSNumber
    do { try place.move(to: destination, overwrites: settings.overwrites) } catch {
      place.takeNote(ofFinished: response.response)
      // What was downloaded is not thrown away for a name: the next run has nothing left to ask for.
      if !place.canGoOn(request) { place.remove() }
      throw error
    }
    return Outcome(
      path: destination, bytes: bytes?.int64Value ?? 0, seconds: Date().timeIntervalSince(begin),
      resumedAt: state.withLock { $0.resumedAt }, statusCode: response.statusCode)
  }

  private func attempt(
    _ place: DownloadPlace, _ request: URLRequest
  ) async throws(ToolFailure) -> AFDataResponse {
    let data = place.resumeData(for: request)
    let length = place.length
    state.withLock { state in
      state.resumedAt = data == nil ? 0 : length
      state.length = length
      state.hasNote = false
      if state.began == nil { state.began = Date() }
    }
    self.place.withLock { $0 = place }
    defer { self.place.withLock { $0 = nil } }
    do throws(AFError) {
      if let data {
        return try await client.manager.download(resumeFrom: data, to: place.finished)
      }
      return try await client.manager.download(for: request, to: place.finished)
    } catch {
      // It may have been over before the task was looked at.
      if error.resumeData != nil { place.takeNote { error.response } }
      throw ErrorReport.failure(error)
    }
  }

  private let place = Locked<DownloadPlace?>(nil)

  /// Whether the attempt that has just failed brought something.
  private func hasMoved(_ place: DownloadPlace) -> Bool {
    let length = place.length
    return state.withLock { length > $0.length }
  }

  /// Looks at the task: what the response says is noted beside the file, and the row is brought up to date. Called a few times a second,
  /// which costs less than to be told of every piece.
  func look(at task: AFURLSessionDownloadTask, time: Double) -> ProgressRow {
    let done = task.countOfBytesReceived
    let expected = task.countOfBytesExpectedToReceive
    if done > 0, !state.withLock({ $0.hasNote }), let place = place.withLock({ $0 }) {
      place.takeNote { task.response as? HTTPURLResponse }
      state.withLock { $0.hasNote = place.hasNote }
    }
    return state.withLock { state in
      state.meter.note(done, at: time)
      state.row.done = done
      state.row.total = expected > 0 ? expected : nil
      state.row.rate = state.meter.rate
      state.row.elapsed = state.began.map { -$0.timeIntervalSinceNow } ?? 0
      return state.row
    }
  }

  /// The line that stays when it is done.
  func lastLine(_ outcome: Outcome, width: Int) -> String {
    state.withLock { state in
      var row = state.row
      row.label = URL(fileURLWithPath: outcome.path).lastPathComponent.printable(limit: 255)
      row.done = outcome.bytes
      row.total = outcome.bytes
      row.rate = outcome.seconds > 0 ? Double(outcome.bytes - outcome.resumedAt) / outcome.seconds : nil
      row.remark = "in \(ByteText.duration(outcome.seconds))"
      return row.line(width: width)
    }
  }
}

/// What holds for all files of one command line.
struct DownloadSettings: Sendable {
  /// The file that -o names, for a single URL.
  let file: String?
  /// Where files go whose names the servers say.
  let folder: String
  let overwrites: Bool
  let checksum: Checksum?

  init(_ arguments: Arguments) throws(ToolFailure) {
    overwrites = arguments.has(.overwrite)
    if let text = arguments.text(.checksum) { checksum = try Checksum(text) } else { checksum = nil }
    folder = arguments.text(.into) ?? "."
    file = arguments.text(.outputFile)
    if let file {
      guard !file.isEmpty, !file.hasSuffix("/") else {
        throw .usage("-o takes the name of a file; --into takes a folder")
      }
      guard file != "-" else { throw .usage("-o takes the name of a file; 'afnet get' writes to standard output") }
    }
    let directory = file.map { Self.folder(of: $0) } ?? folder
    var info = stat()
    guard stat(directory, &info) == 0 else {
      throw ToolFailure(.file, "\(POSIXFailure(call: "open", path: directory))")
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw ToolFailure(.file, "\(POSIXFailure(call: "open", path: directory, code: ENOTDIR))")
    }
  }

  /// The folder of a file, as it was given.
  static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }
}
