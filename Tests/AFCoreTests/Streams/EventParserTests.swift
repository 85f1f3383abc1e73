import Foundation
import Testing

@testable import AFCore

/// WHATWG HTML, "Parsing an event stream" and "Interpreting an event stream".
@Suite struct EventParserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var stream: String
    var events: [AFServerSentEvent]
    var time: Double?
    var testDescription: String { stream.debugDescription }

    init(_ stream: String, _ events: [AFServerSentEvent], time: Double? = nil) {
      self.stream = stream
      self.events = events
      self.time = time
    }
  }

  private static func event(_ data: String, _ type: String = "message", id: String = "") -> AFServerSentEvent {
    AFServerSentEvent(type: type, data: data, id: id)
  }

  static let rows: [Row] = [
    Row("data: a\n\n", [event("a")]),
    Row("data:a\n\n", [event("a")]),
    Row("data:  a\n\n", [event(" a")]),
    Row("data: a\r\n\r\n", [event("a")]),
    Row("data: a\r\r", [event("a")]),
    Row("data: a\r\n\n", [event("a")]),
    Row("data: a\n\r\n", [event("a")]),
    Row("data: a\ndata: b\n\n", [event("a\nb")]),
    Row("data: a\rdata: b\r\r", [event("a\nb")]),
    Row("data: a\n\ndata: b\n\n", [event("a"), event("b")]),
    // What is not complete is no event.
    Row("data: a\n", []),
    Row("data: a", []),
    Row("data: a\n\ndata: b\n", [event("a")]),
    Row("", []),
    Row("\n\n\n", []),
    // The standard's own examples.
    Row("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
    Row(
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [event("first event", id: "1"), event("second event"), event(" third event")]),
    Row("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
    Row("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
    // Types.
    Row("event: add\ndata: 73857293\n\n", [event("73857293", "add")]),
    Row("event: add\nevent: remove\ndata: 1\n\n", [event("1", "remove")]),
    Row("event: add\nevent\ndata: 1\n\n", [event("1")]),
    Row("event: add\n\ndata: 1\n\n", [event("1")]),
    Row("event: add\ndata: 1\n\ndata: 2\n\n", [event("1", "add"), event("2")]),
    // IDs stay until another comes, and hold from the event on that they came with.
    Row("id: 1\ndata: a\n\ndata: b\n\n", [event("a", id: "1"), event("b", id: "1")]),
    Row("id: 1\n\ndata: b\n\n", [event("b", id: "1")]),
    Row("data: a\nid: 1\n\nid: 2\n\ndata: b\n\n", [event("a", id: "1"), event("b", id: "2")]),
    Row("id: 1\u{0}2\ndata: a\n\n", [event("a")]),
    Row("id: 1\ndata: a\n\nid: \u{0}\ndata: b\n\n", [event("a", id: "1"), event("b", id: "1")]),
    Row("id: é\ndata: a\n\n", [event("a", id: "é")]),
    Row("id:  1\ndata: a\n\n", [event("a", id: " 1")]),
    // Comments and fields that mean nothing.
    Row(":\n\n", []),
    Row(":data: a\n\n", []),
    Row(": a\ndata: b\n: c\n\n", [event("b")]),
    Row("Data: a\n\n", []),
    Row("data : a\n\n", []),
    Row(" data: a\n\n", []),
    Row("unknown: a\ndata: b\n\n", [event("b")]),
    Row("data: a:b\n\n", [event("a:b")]),
    // The time to wait: digits and nothing else, in milliseconds.
    Row("retry: 1500\n\n", [], time: 1.5),
    Row("retry:0\n\n", [], time: 0),
    Row("retry: 1500\nretry: 20\n\n", [], time: 0.02),
    Row("retry: 1500", [], time: nil),
    Row("retry: 10\nretry: x\nretry: -1\nretry\n", [], time: 0.01),
    Row("event: add\ndata: 1\n\nevent: x\n\ndata: 2\n\n", [event("1", "add"), event("2")]),
    Row("retry: 1500\n", [], time: 1.5),
    Row("retry: +5\n\n", [], time: nil),
    Row("retry: 1.5\n\n", [], time: nil),
    Row("retry: -1\n\n", [], time: nil),
    Row("retry:\n\n", [], time: nil),
    Row("retry: 5s\n\n", [], time: nil),
    Row("retry: ٣\n\n", [], time: nil),
    Row("retry: 99999999999999999999999\n\n", [], time: 99999999999999999999999.0 / 1000),
    // A byte order mark at the very beginning alone.
    Row("\u{FEFF}data: a\n\n", [event("a")]),
    Row("\u{FEFF}\u{FEFF}data: a\n\n", []),
    Row("data: a\n\n\u{FEFF}data: b\n\n", [event("a")]),
  ]

  private static func read(_ bytes: [Data], limit: Int = 1_000) throws -> (events: [AFServerSentEvent], EventParser) {
    var parser = EventParser(limit: limit)
    var events: [AFServerSentEvent] = []
    for piece in bytes {
      try parser.append(piece)
      while let event = parser.next() { events.append(event) }
    }
    return (events, parser)
  }

  @Test(arguments: rows) func `A stream is read as the standard says, whole and byte by byte`(row: Row) throws {
    let data = Data(row.stream.utf8)
    for pieces in [[data], data.map { Data([$0]) }] {
      let (events, parser) = try Self.read(pieces)
      #expect(events == row.events)
      #expect(parser.reconnectionTime == row.time)
    }
  }

  @Test func `Bytes that are no UTF-8 become replacement characters and do no harm to the rest`() throws {
    let bytes = Data("data: a".utf8) + Data([0xFF, 0xE2, 0x82]) + Data("\n\ndata: b\n\n".utf8)
    #expect(try Self.read([bytes]).events.map(\.data) == ["a\u{FFFD}\u{FFFD}", "b"])
  }

  @Test func `A new connection forgets what was incomplete, and keeps the ID and the time`() throws {
    var parser = EventParser(limit: 100)
    try parser.append(Data("retry: 10\nid: 7\ndata: a\n\nid: 8\nevent: x\ndata: lost".utf8))
    parser.restart()
    #expect(parser.lastEventID == "7")
    #expect(parser.reconnectionTime == 0.01)
    try parser.append(Data("\u{FEFF}data: b\n\n".utf8))
    #expect(parser.next() == Self.event("a", id: "7"))
    #expect(parser.next() == Self.event("b", id: "7"))
    #expect(parser.next() == nil)
  }

  @Test(
    arguments: [
      ("data: 12345\n\n", 11, nil), ("data: 12345\n\n", 10, .lineTooLong(limit: 10)),
      ("data: 123456\ndata: 123456\n\n", 12, nil),
      ("data: 123456\ndata: 1234567", 12, .lineTooLong(limit: 12)),
      ("data: 1234567\ndata: 123456\n\n", 13, nil), ("data: 1234567\ndata: 1234567\n\n", 13, .eventTooLarge(limit: 13)),
      (String(repeating: ":", count: 20), 18, .lineTooLong(limit: 18)),
    ] as [(String, Int, AFStreamError?)])
  func `A line, and an event's data, are bounded`(stream: String, limit: Int, error: AFStreamError?) {
    var thrown: AFStreamError?
    do {
      var parser = EventParser(limit: limit)
      try parser.append(Data(stream.utf8))
    } catch {
      thrown = error
    }
    #expect(thrown == error)
  }
}
