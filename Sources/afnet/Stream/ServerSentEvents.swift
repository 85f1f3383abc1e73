/// Lines into events, by the rules of the WHATWG HTML standard, §9.2.
struct ServerSentEvents {
  struct Event: Sendable, Equatable, Encodable {
    let event: String
    let data: String
    let id: String
  }

  /// What a reconnection sends as `Last-Event-ID`.
  private(set) var lastID = ""
  /// Milliseconds that the server wishes before a reconnection.
  private(set) var retry: Int?
  private var type = ""
  private var data: [String] = []
  private var isFirst = true

  /// The event that a line completes; nil if it completes none.
  mutating func add(_ line: [UInt8]) -> Event? {
    var bytes = line[...]
    // A byte order mark at the very beginning counts for nothing.
    if isFirst, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    isFirst = false
    guard !bytes.isEmpty else { return dispatch() }
    let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : []
    if value.first == 0x20 { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: parts[0], as: UTF8.self) {
    case "event": type = text
    case "data": data.append(text)
    case "id": if !text.unicodeScalars.contains("\0") { lastID = text }
    case "retry": if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { retry = Int(text) ?? retry }
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> Event? {
    defer {
      type = ""
      data = []
    }
    guard !data.isEmpty else { return nil }
    return Event(event: type.isEmpty ? "message" : type, data: data.joined(separator: "\n"), id: lastID)
  }

  /// A new connection begins: what was half received is dropped.
  mutating func reconnect() {
    type = ""
    data = []
    isFirst = true
  }
}
