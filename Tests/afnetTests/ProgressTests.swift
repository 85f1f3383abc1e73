import Testing

@testable import afnet

@Suite struct ProgressTests {
  private let row = ProgressRow(
    label: "debian-13.iso", done: 450 << 20, total: 1000 << 20, rate: Double(11 << 20), elapsed: 41)

  @Test func `what matters least is left out first`() {
    #expect(
      row.line(width: 100)
        == "debian-13.iso           [===========>              ]  45% 450 MiB of 1.0 GiB   11 MiB/s    0:50 left")
    #expect(row.line(width: 50) == "debian-13.iso  45% 450 MiB of 1.0 GiB    0:50 left")
    #expect(row.line(width: 30) == "debian…3.iso  45%    0:50 left")
    #expect(row.line(width: 12).hasSuffix(" 45%"))
    #expect(row.line(width: 3).count == 3)
    #expect(row.line(width: 0) == "")
  }

  @Test(arguments: Array(0...160))
  func `no line is wider than the terminal`(width: Int) {
    let rows = [
      row, ProgressRow(label: "日本語のファイル名😀.bin", done: 1, total: nil, rate: nil),
      ProgressRow(label: "", done: .max, total: 1, rate: .infinity),
      ProgressRow(label: "x", done: 0, total: 0, rate: 0),
      ProgressRow(label: "x", done: -1, total: -5, rate: .nan, elapsed: .nan),
    ]
    for row in rows { #expect(DisplayWidth.of(row.line(width: width)) <= width) }
  }

  @Test func `the rate is that of the last seconds, and begins anew with the bytes`() {
    var meter = RateMeter()
    meter.note(0, at: 0)
    #expect(meter.rate == nil)
    meter.note(1_000, at: 1)
    #expect(meter.rate == 1_000)
    for second in 2...20 { meter.note(1_000 + Int64(second - 1) * 100, at: Double(second)) }
    #expect(meter.rate == 100)
    meter.note(5, at: 21)
    #expect(meter.rate == nil)
  }

  @Test func `lines are drawn over those that stand there, also when the terminal has broken them`() {
    var frame = ProgressDisplay.Frame()
    #expect(frame.replace(with: ["a", "b"], width: 80) == "a\nb")
    #expect(frame.replace(with: ["c"], width: 80) == "\r\u{1B}[1A\u{1B}[Jc")
    #expect(
      frame.replace(with: [String(repeating: "x", count: 70)], above: ["done"], width: 80).hasPrefix(
        "\r\u{1B}[Jdone\nxxx"))
    #expect(frame.replace(with: ["y"], width: 30) == "\r\u{1B}[2A\u{1B}[Jy", "70 columns take three rows of 30")
    #expect(frame.replace(with: [], width: 30) == "\r\u{1B}[J")
    #expect(frame.replace(with: [], width: 30) == "")
  }

  @Test(arguments: [
    ("abc", 5, "abc  "), ("abcdef", 5, "ab…ef"), ("abcdef", 4, "ab…f"), ("abc", 1, " "), ("abc", 0, ""),
    ("日本語", 5, "日…語"), ("日本語", 4, "日… "),
  ])
  func `names are cut in their middle`(text: String, width: Int, fitted: String) {
    #expect(DisplayWidth.fitted(text, to: width) == fitted)
  }
}

@Suite struct StreamPartTests {
  @Test func `lines end with LF, CRLF or CR, in whatever pieces`() {
    let bytes = Array("a\r\nb\rc\n\n\r\nd".utf8)
    for size in 1...bytes.count {
      var splitter = LineSplitter()
      var lines: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        lines += splitter.add(bytes[start..<min(bytes.count, start + size)]).map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(lines == ["a", "b", "c", "", ""])
      #expect(splitter.finish().map { String(decoding: $0, as: UTF8.self) } == "d")
      #expect(splitter.finish() == nil)
    }
    var short = LineSplitter(limit: 3)
    #expect(short.add(Array("abcdefg\n".utf8)) == [Array("abc".utf8), Array("def".utf8), Array("g".utf8)])
  }

  private typealias Event = ServerSentEvents.Event

  private func events(_ text: String) -> [Event] {
    var events = ServerSentEvents()
    return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { events.add(Array($0.utf8)) }
  }

  /// The examples of the standard, §9.2.6, and what its rules say beside.
  @Test func `events are read as the standard says`() {
    #expect(events("data: YHOO\ndata: +2\ndata: 10\n\n") == [Event(event: "message", data: "YHOO\n+2\n10", id: "")])
    #expect(
      events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n") == [
        Event(event: "message", data: "first event", id: "1"), Event(event: "message", data: "second event", id: ""),
        Event(event: "message", data: " third event", id: ""),
      ])
    #expect(
      events("data\n\ndata\ndata\n\ndata:") == [
        Event(event: "message", data: "", id: ""), Event(event: "message", data: "\n", id: ""),
      ])
    #expect(events("data:test\n\ndata: test\n\n").map(\.data) == ["test", "test"])
    #expect(
      events("event: add\ndata: 1\n\nevent: x\n\ndata: 2\n\n") == [
        Event(event: "add", data: "1", id: ""), Event(event: "message", data: "2", id: ""),
      ])
    #expect(events("\u{FEFF}data: a\n\nid: b\0c\nunknown: x\ndata: y\n\n").map(\.id) == ["", ""])
    var reading = ServerSentEvents()
    for line in ["retry: 10", "retry: x", "retry: 99999999999999999999", "retry: -1", "retry"] {
      _ = reading.add(Array(line.utf8))
    }
    #expect(reading.retry == 10)
  }
}
