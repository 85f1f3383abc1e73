import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// What a task is about to do, does, or has done.
enum TaskPhase {
  /// Nothing is under way; `resume()` starts the current request.
  case ready
  /// The engine is being given a hop.
  case starting
  /// The engine has it.
  case flying(TransferHandle)
  /// Between two hops, or after the last one: the task waits for an answer.
  case asking
  /// The last hop is over; its file is being written or moved.
  case closing
  case over
}

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
  /// Asked once the whole file is there; nil, or none, leaves the file where nobody finds it.
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

/// Everything about a task that changes; behind the lock of its ``TaskCore``.
struct TaskState {
  /// Both are let go when the task is over, so that a finished task holds nothing alive.
  var session: SessionCore?
  var manager: AFURLSessionManager?
  var blocks: BlockTable
  var closures: TaskClosures
  var completion: TaskCompletion

  let original: HopRequest
  var current: HopRequest
  /// The request that follows the running hop.
  var next: HopRequest?

  var phase = TaskPhase.ready
  var isSuspended = true
  var isCancelled = false
  /// Whether a callback has been queued, so that the completion must queue up behind it.
  var hasQueuedCallbacks = false
  /// How many questions there have been; the number of the last one.
  var questions = 0
  var question: TaskQuestion.Open?
  var hopCount = 0
  var ledger = HopLedger()
  var priority: Float = 0.5
  /// The moment by which the whole must be done; set by the first `resume()`.
  var deadline: MonotonicTime?

  /// When the task was first resumed, if it collects metrics.
  var began: Date?

  var head: ResponseHead?
  var response: HTTPURLResponse?
  /// The fields that came behind the body.
  var trailers: ResponseHead?
  var error: (any Error)?
  /// Takes the place of the engine's error when the task was ended for a reason of ours.
  var reason: (any Error)?
  /// What the transfer itself ended with, where ``error`` is something else.
  var rawError: (any Error)?
  /// What a challenge handler wants as the task's error.
  var challengeError: (any Error)?
  /// Why the task cannot run at all.
  var refusal: (any Error)?
  var counts = TaskCounts()
  /// The counts that the progress closures know of.
  var told = TaskCounts()
  var hops: [HopRecord] = []
  var body: Data?
  var download: DownloadFile?
  var downloading = DownloadState()
  var becameDownload = false
  var stream: StreamSink?
  var chunks: ChunkSink?
  /// Whether it is a task that the app did not make and does not see: nobody is asked or told.
  var isSilent = false
  /// Whether notifications are posted for the task.
  var announces = false
  /// Whether the engine collects times and sizes for the metrics.
  var collectsMetrics = false
  var finalURL: URL?

  var uploadProgress: Progress?
  var downloadProgress: Progress?
  var description: String?
  /// The shell, weakly while nothing happens, strongly while the task runs.
  weak var shell: AFURLSessionTask?
  var runningShell: AFURLSessionTask?

  var isOver: Bool {
    if case .over = phase { return true }
    return false
  }
}
