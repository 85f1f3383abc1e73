import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

enum TaskKind: Sendable {
  case data, upload, download
}

/// What takes a task's result. Called once, outside every lock, on whatever thread ends the task.
enum TaskCompletion: Sendable {
  case none
  case continuation(UnsafeContinuation<TaskResult, Never>)
  case handler(@Sendable (TaskResult) -> Void)
}

/// How a task ended.
struct TaskResult: Sendable {
  var task: TaskCore
  var data: Data?
  var fileURL: URL?
  /// The file of a download, which goes with the last reference unless it is moved.
  var download: DownloadFile?
  var error: (any Error)?
  /// What to go on with, if a download failed that can.
  var resumeData: Data?
  /// The task's shell, if it has one: kept until the completion has run.
  var shell: AFURLSessionTask?
}

/// The closures of one task.
struct TaskClosures: Sendable {
  var uploadProgress: (@Sendable (Progress) -> Void)?
  var downloadProgress: (@Sendable (Progress) -> Void)?
  /// Asked once the whole file is there; nil, or no closure, leaves the file at a temporary path.
  var destination: (@Sendable (URL, URLResponse) -> URL?)?
  /// Where it is written to until it is complete; nil means the directory for temporary files.
  var temporaryDirectory: String?
}

/// Bytes of a task, in both directions.
struct TaskCounts: Sendable, Equatable {
  var sent: Int64 = 0
  var expectedToSend: Int64 = -1
  var received: Int64 = 0
  var expectedToReceive: Int64 = -1
}

/// Whose the task is, and who is told. Let go when the task is over, so that a finished task holds nothing alive.
struct TaskOwner {
  var session: SessionCore?
  var manager: AFURLSessionManager?
  var blocks: BlockTable
  var closures: TaskClosures
  var completion: TaskCompletion
}

/// What is set about a task.
struct TaskOptions {
  var priority: Float = 0.5
  /// The moment by which the whole must be done; set by the first `resume()`.
  var deadline: MonotonicTime?
  var description: String?
  /// Whether it is a task that the app did not make and does not see: the app is not asked or told.
  var isSilent = false
  /// Whether notifications are posted for the task.
  var announces = false
  /// Whether the engine collects times and sizes for the metrics.
  var collectsMetrics = false
}

/// The response of the present hop.
struct TaskAnswer {
  var head: ResponseHead?
  /// As Foundation has it; made when it is first asked for.
  var response: HTTPURLResponse?
  /// The fields that came behind the body.
  var trailers: ResponseHead?
}

/// Why a task failed, from the several places that have a say.
struct TaskFailure {
  var error: (any Error)?
  /// Takes the place of the engine's error when the task was ended for a reason of ours.
  var reason: (any Error)?
  /// What the transfer itself ended with, where ``error`` is something else.
  var rawError: (any Error)?
  /// What a challenge handler wants as the task's error.
  var challengeError: (any Error)?
  /// Why the task cannot run at all.
  var refusal: (any Error)?

  /// What the app will be told.
  var told: (any Error)? { reason ?? error }
}

/// How far the bodies have come, and what the app has been told of it.
struct TaskProgress {
  var counts = TaskCounts()
  /// The counts that the progress closures know of.
  var told = TaskCounts()
  var upload: Progress?
  var download: Progress?
}

/// What the metrics are made of.
struct TaskRecord {
  /// When the task was first resumed, if it collects metrics.
  var began: Date?
  var hops: [HopRecord] = []
}

/// Where the body of the response goes, and what has come of it.
struct BodyDestination {
  var data: Data?
  var file: DownloadFile?
  var stream: StreamSink?
  var chunks: ChunkSink?
  /// Whether a response has made a data task a download.
  var becameDownload = false
  /// Where a finished download has been moved.
  var finalURL: URL?
}

/// The task as the app sees it.
struct TaskShell {
  /// Held weakly while nothing happens.
  weak var any: AFURLSessionTask?
  /// Held while the task runs.
  var running: AFURLSessionTask?
}

/// Everything about a task that changes; behind the lock of its ``TaskCore``.
struct TaskState {
  var owner: TaskOwner
  var options = TaskOptions()

  let original: HopRequest
  var current: HopRequest
  /// The request that follows the running hop.
  var next: HopRequest?

  var machine = TaskMachine()
  /// The running hop's.
  var transfer: TransferHandle?
  /// What goes with the machine's open question.
  var question: TaskQuestion.Open?
  var ledger = HopLedger()
  /// Whether a callback has been queued, so that the completion must queue up behind it.
  var hasQueuedCallbacks = false

  var answer = TaskAnswer()
  var failure = TaskFailure()
  var body = BodyDestination()
  var downloading = DownloadState()
  var progress = TaskProgress()
  var record = TaskRecord()
  var shell = TaskShell()

  init(owner: TaskOwner, request: HopRequest) {
    self.owner = owner
    original = request
    current = request
  }

  var isOver: Bool { machine.isOver }

  /// Whether the task was cancelled without a wish for resume data: the download is not wanted any more.
  var isDropped: Bool {
    machine.isCancelled && downloading.onResumeData == nil && (failure.told as? URLError)?.code == .cancelled
  }

  /// What begins with each hop. The machine has begun it.
  mutating func prepareHop() {
    ledger.caching.isServing = false
    if owner.session?.cache != nil { ledger.caching.beginHop() }
  }

  /// Takes note of whether it is a refresh that makes, or resumes, the task.
  mutating func noteBearer() {
    if owner.blocks.bearer?.core.isRefreshingHere == true { ledger.token.isExempt = true }
  }

  /// Takes note of the hop's transfer, which the engine's thread may know before `start` has returned.
  mutating func adopt(_ transfer: TransferHandle) {
    guard machine.phase == .starting else { return }
    machine.transferIsThere()
    self.transfer = transfer
  }
}
