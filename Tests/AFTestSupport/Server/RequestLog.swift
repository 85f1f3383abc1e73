import AFSupport

/// What a server has received.
final class RequestLog: Sendable {
  private let state = Locked(State())
  private let isOn: Bool

  private struct State {
    var requests: [RecordedRequest] = []
    var count = 0
  }

  init(_ options: TestServer.Options) {
    isOn = options.records
  }

  var requests: [RecordedRequest] { state.withLock { $0.requests } }
  var count: Int { state.withLock { $0.count } }

  /// Returns the place of the new record, or nil where nothing is recorded.
  func begin(_ head: RequestHead, connection: Int, index: Int) -> Int? {
    state.withLock { state in
      state.count += 1
      guard isOn else { return nil }
      state.requests.append(
        RecordedRequest(head: head, connection: connection, indexOnConnection: index, headReceivedAt: .now))
      return state.requests.count - 1
    }
  }

  func update(_ place: Int, from reader: RequestBodyReader) {
    let (count, kept, digest) = (reader.count, reader.kept, reader.digest)
    let (trailers, isComplete) = (reader.trailers, reader.isComplete)
    state.withLock { state in
      state.requests[place].bodyCount = count
      state.requests[place].body = kept
      state.requests[place].bodySHA256 = digest
      state.requests[place].trailers = trailers
      if isComplete { state.requests[place].completedAt = .now }
    }
  }
}
