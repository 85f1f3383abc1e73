import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// The task as users see it. Made when somebody asks; the same one while somebody holds it or the task runs.
  var shell: AFURLSessionTask {
    state.withLock { state in
      if let shell = state.shell { return shell }
      let shell: AFURLSessionTask =
        switch kind {
        case .data: AFURLSessionDataTask(core: self)
        case .upload: AFURLSessionUploadTask(core: self)
        case .download: AFURLSessionDownloadTask(core: self)
        }
      state.shell = shell
      if !state.isOver, state.deadline != nil { state.runningShell = shell }
      return shell
    }
  }

  var dataShell: AFURLSessionDataTask? { shell as? AFURLSessionDataTask }
  var downloadShell: AFURLSessionDownloadTask? { shell as? AFURLSessionDownloadTask }

  var publicState: AFURLSessionTask.State {
    state.withLock { state in
      if state.isOver { return .completed }
      if state.isCancelled { return .canceling }
      return state.isSuspended ? .suspended : .running
    }
  }

  /// The present hop's response. Made of the head's bytes when somebody asks.
  var httpResponse: HTTPURLResponse? {
    let (made, head, url) = state.withLock { ($0.response, $0.head, $0.current.url) }
    if let made { return made }
    guard let head, let response = TaskResponse(head, url: url) else { return nil }
    return state.withLock { state in
      if let made = state.response { return made }
      state.response = response
      return response
    }
  }
}

extension HTTPURLResponse {
  /// Makes the response of a head's bytes. Foundation spells the names it knows in its own way; lines whose names differ
  /// in letter case alone are one field.
  convenience init?(_ head: ResponseHead, url: String) {
    guard let url = URL(string: url) else { return nil }
    var fields: [String: String] = [:]
    var spellings: [String: String] = [:]
    for field in head.fields {
      let key = field.name.lowercased()
      let name = spellings[key] ?? field.name
      spellings[key] = name
      fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
    }
    self.init(url: url, statusCode: head.statusCode, httpVersion: head.httpVersion, headerFields: fields)
  }
}
