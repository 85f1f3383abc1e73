import AFMultipart
import AFSupport
import Foundation
import Testing

/// The same bytes each time: rewinds, copies, several readers.
@Suite(.offThePool) struct ReplayTests {
  private func withForm(_ body: (AFMultipartForm) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("f.bin")
      try patternedData(300 << 10).write(to: file)
      let form = AFMultipartForm()
      form.appendPart(withForm: Data("v".utf8), name: "k")
      try form.appendPart(withFileURL: file, name: "f")
      form.append(
        AFMultipartPart(name: "s", content: .stream(length: 70_000) { InputStream(data: patternedData(70_000)) }))
      try body(form)
    }
  }

  @Test(
    "B05, AF-X025: a rewind gives identical bytes, from wherever the reading was",
    arguments: [0, 1, 200, 290_000, 377_000])
  func rewind(after count: Int) throws {
    try withForm { form in
      let reader = form.makeBodyStream().makeBodyReader()
      #expect(reader.isReplayable)
      let whole = try drain(form.makeBodyStream().makeBodyReader())
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
      defer { buffer.deallocate() }
      var read = 0
      let deadline = MonotonicTime.now + 10
      while read < count, MonotonicTime.now < deadline {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(1000, count - read)])
        if case .bytes(let count) = reader.read(into: wanted) { read += count }
      }
      try #require(read == count)
      try reader.rewind()
      #expect(try drain(reader) == whole)
      try reader.rewind()
      #expect(try drain(reader, readSize: 333) == whole)
    }
  }

  @Test("AF-X025: a copy of the stream has the same bytes, boundary and length, whatever was read of the first")
  func copies() throws {
    try withForm { form in
      let stream = form.makeBodyStream()
      stream.open()
      var bytes = [UInt8](repeating: 0, count: 1000)
      #expect(stream.read(&bytes, maxLength: 1000) > 0)
      let copy = try #require(stream.copy() as? AFMultipartBodyStream)
      let whole = try drain(copy)
      #expect(copy.contentLength == Int64(whole.count))
      #expect(try drain(#require(stream.copy() as? AFMultipartBodyStream)) == whole)
      #expect(whole.starts(with: Data("--\(form.boundaryText)\r\n".utf8)))
    }
  }

  @Test("A body does not change with the form that made it")
  func bodiesAreSnapshots() throws {
    let form = AFMultipartForm(boundary: "b")
    form.appendPart(withForm: Data("1".utf8), name: "a")
    let stream = form.makeBodyStream()
    let length = form.contentLength
    form.appendPart(withForm: Data("2".utf8), name: "b")
    #expect(stream.contentLength == length)
    #expect(Int64(try drain(stream).count) == length)
  }
}
