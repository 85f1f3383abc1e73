import AFMultipart
import Foundation
import Testing

/// Parsers that nobody here wrote take our bodies, and find in them what was put in.
@Suite(.offThePool) struct ReceiverTests {
  typealias Part = Receiver.Part

  private static func field(_ name: String, _ value: String) -> Part {
    Part(name: name, data: Data(value.utf8).base64EncodedString())
  }

  private static func file(_ name: String, _ fileName: String, _ type: String, _ data: Data) -> Part {
    Part(name: name, fileName: fileName, type: type, data: data.base64EncodedString())
  }

  private static let plain = [
    field("title", "value"),
    field("nothing", ""),
    field("text", "Grüße, 世界\r\nsecond line"),
    file("hello", "a.txt", "text/plain", Data("hello".utf8)),
    file("empty", "empty.dat", "application/octet-stream", Data()),
    file("breaks", "breaks.bin", "application/octet-stream", Data("\r\n\r\n--\r\n--Boundary+\r\n".utf8)),
    file("random", "random.bin", "application/octet-stream", patternedData(200_000)),
    file("zero", "zero.bin", "application/octet-stream", Data(count: 70_000)),
  ]

  private static let hostile = [
    field("naïve 名前", "x"),
    field("quo\"ted", "y"),
    field("semi;colon=", "z"),
    file("日本", "お疲れ様です.mp4", "video/mp4", Data("1".utf8)),
    file("emoji", "🦊 e\u{301}.png", "image/png", Data("2".utf8)),
    file("quotes", "he said \"hi\".pdf", "application/pdf", Data("3".utf8)),
    file("break", "evil\r\nX-Injected: 1\r\n\r\nSMUGGLED", "text/plain", Data("4".utf8)),
    file("percent", "100%.txt", "text/plain", Data("5".utf8)),
  ]

  @Test("Each part arrives with its name, file name, type and bytes", arguments: Receiver.installed)
  func parts(receiver: Receiver) async throws {
    try check(receiver, receiver.takesOnlyPlainNames ? Self.plain : Self.plain + Self.hostile)
  }

  @Test("Hundreds of parts arrive", arguments: Receiver.installed)
  func manyParts(receiver: Receiver) async throws {
    try check(receiver, (0..<300).map { Self.field("n\($0)", "\($0)") })
  }

  @Test("Scripts/test brings all parsers", .enabled(if: ProcessInfo.processInfo.environment["AF_TEST_PYTHON"] != nil))
  func installed() {
    #expect(Set(Receiver.installed).isSuperset(of: [.werkzeug, .pythonMultipart, .django, .email]))
  }

  private func check(_ receiver: Receiver, _ parts: [Part]) throws {
    try withTemporaryDirectory { directory in
      let form = AFMultipartForm()
      for (index, part) in parts.enumerated() {
        let data = try #require(Data(base64Encoded: part.data))
        guard let fileName = part.fileName, let type = part.type else {
          form.appendPart(withForm: data, name: part.name)
          continue
        }
        // Half of them by way of the disk.
        if index % 2 == 0 {
          form.appendPart(withFileData: data, name: part.name, fileName: fileName, mimeType: type)
        } else {
          let file = directory.appendingPathComponent("\(index)")
          try data.write(to: file)
          try form.appendPart(withFileURL: file, name: part.name, fileName: fileName, mimeType: type)
        }
      }
      let body = directory.appendingPathComponent("body")
      try drain(form.makeBodyStream()).write(to: body)
      let received = try receiver.parse(body, contentType: form.contentType)
      let expected = parts.filter { $0.fileName == nil } + parts.filter { $0.fileName != nil }
      #expect(received.map { decoded($0.name) } == expected.map(\.name))
      #expect(received.map { $0.fileName.map(decoded) } == expected.map(\.fileName))
      for (one, other) in zip(received, expected) {
        #expect(one.data == other.data, "\(other.name)")
        if let type = one.type, !type.isEmpty { #expect(type == other.type, "\(other.name)") }
      }
    }
  }

  /// Some parsers undo the escapes of the WHATWG, as browsers' servers should, and some leave them as they are.
  private func decoded(_ name: String) -> String {
    name.replacingOccurrences(of: "%22", with: "\"")
      .replacingOccurrences(of: "%0D", with: "\r").replacingOccurrences(of: "%0A", with: "\n")
  }
}
