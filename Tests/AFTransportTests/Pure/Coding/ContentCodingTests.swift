import Testing

@testable import AFTransport

/// F32, F33, F100: what becomes of a body, by its `Content-Encoding` fields and its bytes, whatever pieces they come in.
@Suite struct ContentCodingTests {
  enum Outcome: Equatable, Sendable {
    case text(String)
    /// Nothing is undone.
    case asItIs
    /// With a message that holds these words.
    case fails(String)

    static let plain = Outcome.text("Hello World!")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    let fields: [String]
    let bytes: [UInt8]
    let outcome: Outcome

    init(_ what: String, _ fields: [String], _ hex: String, _ outcome: Outcome) {
      self.what = what
      self.fields = fields
      let digits = Array(hex.utf8).map { $0 < 0x40 ? $0 - 0x30 : $0 - 0x57 }
      bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
      self.outcome = outcome
    }

    var testDescription: String { "\(what): \(fields)" }
  }

  /// What becomes of a body that comes in `pieces`, for a reader who takes all at once, or has enough after every step.
  static func decode(_ fields: [String], _ pieces: [ArraySlice<UInt8>], isPatient: Bool = true) -> Outcome {
    guard case .undo(let codings) = ContentCodingList(fields) else {
      if case .tooMany = ContentCodingList(fields) { return .fails("more than 5") }
      let text = String(decoding: pieces.joined(), as: UTF8.self)
      return text == "Hello World!" ? .text(text) : .asItIs
    }
    guard let decoder = ContentDecoder(codings) else { return .fails("no memory") }
    var result: [UInt8] = []
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      result.append(contentsOf: bytes)
      return isPatient
    }
    for piece in pieces {
      var step = piece.withUnsafeBytes { decoder.decode($0, take) }
      while step == .stopped { step = decoder.resume(take) }
      if step == .failed { break }
    }
    if let failure = decoder.finish() {
      #expect(failure.kind == .badContent)
      return .fails(failure.message)
    }
    return .text(String(decoding: result, as: UTF8.self))
  }

  private func check(_ row: Row, _ pieces: [ArraySlice<UInt8>], _ how: String, isPatient: Bool = true) {
    let outcome = Self.decode(row.fields, pieces, isPatient: isPatient)
    guard case .fails(let message) = outcome, case .fails(let words) = row.outcome else {
      #expect(outcome == row.outcome, "\(how)")
      return
    }
    #expect(message.contains(words), "\(how)")
  }

  @Test(arguments: rows + brotliRows + zstandardRows + mixedRows)
  func `F32, F33: a body and its codings`(row: Row) {
    check(row, [row.bytes[...]], "in one piece")
    check(row, row.bytes.indices.map { row.bytes[$0...$0] }, "byte by byte")
    check(row, row.bytes.indices.map { row.bytes[$0...$0] }, "byte by byte, stopped each time", isPatient: false)
    for split in 0...row.bytes.count {
      let pieces = [row.bytes[..<split], [], row.bytes[split...]]
      check(row, pieces, "split after \(split)")
      check(row, pieces, "split after \(split), stopped each time", isPatient: false)
    }
  }

  @Test func `there are enough rows`() {
    #expect(Self.rows.count >= 100)
  }

  @Test func `Accept-Encoding names what can be undone`() {
    let names = ContentCoding.acceptEncoding.split(separator: ",").map { $0.drop { $0 == " " } }
    #expect(names.starts(with: ["gzip", "deflate"]))
    for name in names { #expect(ContentCodingList([String(name)]) != .asItIs) }
    #expect(ContentCodingList([ContentCoding.acceptEncoding]) != .tooMany)
  }

  @Test func `F100: a wrong checksum is called that, and says how much was decoded`() throws {
    let row = try #require(Self.rows.first { $0.what == "a wrong checksum" })
    #expect(
      Self.decode(row.fields, [row.bytes[...]])
        == .fails(
          "The body's content coding gzip is damaged: its checksum or length does not fit the 12 bytes that it holds"))
    let cut = try #require(Self.rows.first { $0.what == "zlib's format without its checksum" })
    #expect(
      Self.decode(cut.fields, [cut.bytes[...]])
        == .fails("The body's content coding deflate ends early, after 12 decoded bytes"))
  }
}
