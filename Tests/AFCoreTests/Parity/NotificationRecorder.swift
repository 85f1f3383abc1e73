import AFTestSupport
import Foundation

/// Collects the notifications of one name and object. They are posted on the main queue, which a test run does not drain by
/// itself.
final class NotificationRecorder: Sendable {
  struct Note: Sendable {
    var keys: [String]
    private var urls: [String: URL]
    var errorCode: Int?
    var data: Data?

    init(_ info: [AnyHashable: Any]) {
      keys = info.keys.compactMap { $0 as? String }.sorted()
      urls = [:]
      for (key, value) in info { if let key = key as? String, let url = value as? URL { urls[key] = url } }
      errorCode = info.values.lazy.compactMap { ($0 as? NSError)?.code }.first
      data = info.values.lazy.compactMap { $0 as? Data }.first
    }

    func url(_ key: String) -> URL? { urls[key] }
  }

  private let recorder: Recorder<Note>
  private let token: Token

  // Unchecked because an observer's token is not Sendable; it is only given back.
  private struct Token: @unchecked Sendable {
    let observer: any NSObjectProtocol
  }

  init(_ name: NSNotification.Name, object: AnyObject?) {
    let recorder = Recorder<Note>()
    self.recorder = recorder
    token = Token(
      observer: NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { notification in
        recorder.record(Note(notification.userInfo ?? [:]))
      })
  }

  deinit { NotificationCenter.default.removeObserver(token.observer) }

  var count: Int { recorder.count }

  @discardableResult
  func wait(for count: Int) async throws -> [Note] {
    try await recorder.wait(for: count)
  }
}
