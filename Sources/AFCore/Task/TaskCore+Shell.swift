import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// The task as users see it. Made when somebody asks; the same one while somebody holds it or the task runs.
  var shell: AFURLSessionTask {
    state.withLock { state in
      if let shell = state.shell.any { return shell }
      let shell: AFURLSessionTask =
        switch kind {
        case .data: AFURLSessionDataTask(core: self)
        case .upload: AFURLSessionUploadTask(core: self)
        case .download: AFURLSessionDownloadTask(core: self)
        }
      state.shell.any = shell
      if !state.isOver, state.machine.hasBegun { state.shell.running = shell }
      return shell
    }
  }

  var dataShell: AFURLSessionDataTask? { shell as? AFURLSessionDataTask }
  var downloadShell: AFURLSessionDownloadTask? { shell as? AFURLSessionDownloadTask }

  var publicState: AFURLSessionTask.State {
    state.withLock { state in
      if state.isOver { return .completed }
      if state.machine.isCancelled { return .canceling }
      return state.machine.isSuspended ? .suspended : .running
    }
  }

  /// The present hop's response. Made of the head's bytes when somebody asks.
  var httpResponse: HTTPURLResponse? {
    let (made, head, url) = state.withLock { ($0.answer.response, $0.answer.head, $0.current.url) }
    if let made { return made }
    guard let head, let response = TaskResponse(head, url: url) else { return nil }
    return state.withLock { state in
      if let made = state.answer.response { return made }
      state.answer.response = response
      return response
    }
  }
}

extension HTTPURLResponse {
  /// Makes the response of a head's bytes. Foundation spells the names it knows in its own way; lines whose names differ
  /// in letter case alone are one field. Never on the engine's thread: it takes Foundation some time.
  convenience init?(_ head: ResponseHead, url: String) {
    guard let url = URL(string: url) else { return nil }
    let fields = head.dictionary.filter { name, value in
      // Foundation picks these two apart on the way, at milliseconds for each KiB: 100 KB of one keep a thread busy for as long
      // as a request takes. No honest server comes near the limit.
      value.utf8.count <= Self.largestParsedValue
        || !(name.equalsIgnoringCase("Content-Type") || name.equalsIgnoringCase("Content-Disposition"))
    }
    self.init(url: url, statusCode: head.statusCode, httpVersion: head.httpVersion, headerFields: fields)
  }

  private static let largestParsedValue = 4096
}

extension ResponseHead {
  /// The fields by name, as the first of each came; the values of several are joined with ", " (RFC 9110 §5.3).
  var dictionary: [String: String] {
    var fields: [String: String] = [:]
    var spellings: [String: String] = [:]
    for field in self.fields {
      if let name = spellings[field.name.lowercased()] {
        // In place: thousands of lines of one name must not each copy what came before.
        fields[name, default: ""] += ", "
        fields[name, default: ""] += field.value
      } else {
        spellings[field.name.lowercased()] = field.name
        fields[field.name] = field.value
      }
    }
    return fields
  }
}
