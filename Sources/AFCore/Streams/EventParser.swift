package import Foundation

/// Reads an event stream (WHATWG HTML, "Parsing an event stream") as its bytes come. It is kept over connections: what the server has
/// said of the last event and of the time to wait holds for the next one.
package struct EventParser {
  /// The ID of the last event that is complete. Sent with the next connection.
  package private(set) var lastEventID: String
  /// The server's time to wait before a reconnection, in seconds.
  package private(set) var reconnectionTime: Double?

  private let limit: Int
  private var lines: LineSplitter
  private var isAtBeginning = true
  private var type = ""
  private var data = ""
  private var hasData = false
  /// The ID that holds once the event at hand is complete.
  private var nextEventID: String
  private var events: [AFServerSentEvent] = []
  private var taken = 0

  /// `limit` bounds the bytes of a line, and those of an event's data.
  package init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    nextEventID = lastEventID
    self.limit = limit
    lines = LineSplitter(ending: .any, limit: limit)
  }

  /// A new connection: what was incomplete on the old one is forgotten.
  package mutating func restart() {
    let (id, time) = (lastEventID, reconnectionTime)
    let waiting = events[taken...]
    self = EventParser(lastEventID: id, limit: limit)
    reconnectionTime = time
    events = Array(waiting)
  }

  /// The next complete event.
  package mutating func next() -> AFServerSentEvent? {
    guard taken < events.count else { return nil }
    defer {
      taken += 1
      if taken == events.count { (events, taken) = ([], 0) }
    }
    return events[taken]
  }

  /// Takes the next bytes of the body.
  package mutating func append(_ bytes: Data) throws(AFStreamError) {
    // Taken out, not copied: a long line is not to be copied for each piece of it.
    var lines = LineSplitter(ending: .any, limit: limit)
    swap(&lines, &self.lines)
    defer { swap(&lines, &self.lines) }
    try lines.append(bytes) { line throws(AFStreamError) in try self.take(line) }
  }

  private mutating func take(_ bytes: [UInt8]) throws(AFStreamError) {
    var bytes = bytes[...]
    if isAtBeginning {
      isAtBeginning = false
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    }
    guard !bytes.isEmpty else { return dispatch() }
    let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    // A line that begins with a colon is a comment: servers keep connections open with them.
    guard colon != bytes.startIndex else { return }
    let name = String(decoding: bytes[..<(colon ?? bytes.endIndex)], as: UTF8.self)
    var value = colon.map { bytes[($0 + 1)...] } ?? []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch name {
    case "event": type = String(decoding: value, as: UTF8.self)
    case "data":
      guard data.utf8.count + value.count <= limit else { throw .eventTooLarge(limit: limit) }
      if hasData { data += "\n" }
      data += String(decoding: value, as: UTF8.self)
      hasData = true
    case "id" where !value.contains(0): nextEventID = String(decoding: value, as: UTF8.self)
    case "retry" where !value.isEmpty && value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }):
      // More digits than a number has are a time that never comes: the caller's limit holds instead.
      reconnectionTime = Double(String(decoding: value, as: UTF8.self)).map { $0 / 1000 }
    default: break
    }
  }

  private mutating func dispatch() {
    lastEventID = nextEventID
    defer { (type, data, hasData) = ("", "", false) }
    // Without a `data` line it is no event, whatever else was said. With an empty one it is.
    guard hasData else { return }
    events.append(AFServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: lastEventID))
  }
}
