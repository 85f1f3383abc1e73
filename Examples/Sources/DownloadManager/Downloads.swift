import AFNetworking
import Synchronization

/// Downloads into one folder. What is needed to go on with a download lies beside its file, so that the next run finds it.
final class Downloads: Sendable {
  private let folder: URL
  private let manager: AFHTTPSessionManager
  private let atOnce: Int
  private let attempts: Int
  private let isInterrupted = Atomic(false)

  /// `attempts` is how often one download is begun or gone on with before it counts as failed.
  init(folder: URL, atOnce: Int, attempts: Int) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    self.atOnce = atOnce
    self.attempts = attempts
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 30
    manager = AFHTTPSessionManager(sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
  }

  /// Those that failed, with the last error of each.
  func fetch(_ urls: [URL]) async -> [(URL, any Error)] {
    await withTaskGroup(of: (URL, (any Error)?).self) { group in
      var waiting = urls.makeIterator()
      func begin() {
        guard !isInterrupted.load(ordering: .relaxed), let url = waiting.next() else { return }
        group.addTask { (url, await self.fetch(url)) }
      }
      for _ in 0..<atOnce { begin() }
      var failures: [(URL, any Error)] = []
      for await (url, error) in group {
        if let error { failures.append((url, error)) }
        begin()
      }
      return failures
    }
  }

  /// Ends what is under way. Each download fails as cancelled, with resume data.
  func interrupt() {
    isInterrupted.store(true, ordering: .relaxed)
    for task in manager.downloadTasks { task.cancel { _ in } }
  }

  private func fetch(_ url: URL) async -> (any Error)? {
    let target = folder.appendingPathComponent(url.lastPathComponent)
    if FileManager.default.fileExists(atPath: target.path) { return nil }
    let saved = target.appendingPathExtension("resume")
    var last: (any Error)?
    for attempt in 1...attempts {
      do {
        try await fetch(url, to: target, saved: saved)
        print("\(url.lastPathComponent): complete")
        return nil
      } catch {
        last = error
        guard error.isWorthAnotherAttempt, attempt < attempts else { break }
        try? await Task.sleep(for: .seconds(attempt))
      }
    }
    return last
  }

  private func fetch(_ url: URL, to target: URL, saved: URL) async throws(AFError) {
    do {
      if let resumeData = try? Data(contentsOf: saved) {
        try await manager.download(resumeFrom: resumeData, to: target)
      } else {
        try await manager.download(for: URLRequest(url: url), to: target)
      }
      try? FileManager.default.removeItem(at: saved)
    } catch {
      // Without resume data there is nothing to go on with: the next attempt begins anew. They hold the request, credentials
      // included, so that they are for this user's eyes only.
      try? FileManager.default.removeItem(at: saved)
      if let resumeData = error.resumeData {
        _ = FileManager.default.createFile(
          atPath: saved.path, contents: resumeData, attributes: [.posixPermissions: 0o600])
      }
      throw error
    }
  }
}

extension AFError {
  /// The server or the link was at fault, and may be well again. A refusal stays one.
  fileprivate var isWorthAnotherAttempt: Bool {
    guard let statusCode, !(200..<300).contains(statusCode) else { return !isCancelled }
    return statusCode == 429 || statusCode >= 500
  }
}
