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
