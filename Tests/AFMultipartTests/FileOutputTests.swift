import AFTestSupport
import Foundation
import Testing

@testable import AFMultipart

/// The file that a body is written to: what is there while it is written, and afterwards.
@Suite struct FileOutputTests {
  private func mode(_ path: String) throws -> mode_t {
    var info = stat()
    try #require(stat(path, &info) == 0)
    return info.st_mode & 0o7777
  }

  private func names(_ directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
  }

  private func write(_ text: String, to output: FileOutput) throws {
    try Array(text.utf8).withUnsafeBytes { try output.write($0) }
  }

  @Test(arguments: [0o777, 0o666, 0o600, 0o440] as [mode_t])
  func `a file that is there keeps its rights, whatever the process masks`(rights: mode_t) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data("old".utf8), to: "f")
    try #require(chmod(file.path, rights) == 0)
    let output = try FileOutput(file)
    try write("new", to: output)
    #expect(try Data(contentsOf: file) == Data("old".utf8), "until all is there")
    try output.finish()
    #expect(try mode(file.path) == rights)
    #expect(try Data(contentsOf: file) == Data("new".utf8))
    #expect(try names(directory) == ["f"])
  }

  @Test func `a new file has the rights that the process gives`() throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
    let mask = try #require(mode_t(line.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8))
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let output = try FileOutput(directory.file("f"))
    try output.finish()
    #expect(try mode(directory.file("f").path) == 0o666 & ~mask)
  }

  @Test func `what is given up leaves nothing, and what is finished stays when it is given up afterwards`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let given = try FileOutput(directory.file("f"))
    try write("x", to: given)
    #expect(try names(directory).count == 1)
    given.abandon()
    #expect(try names(directory).isEmpty)
    let finished = try FileOutput(directory.file("f"))
    try finished.finish()
    finished.abandon()
    #expect(try names(directory) == ["f"])
  }

  @Test func `one that cannot take its place is an error, and leaves nothing`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let output = try FileOutput(directory.file("f"))
    try write("x", to: output)
    try #require(mkdir(directory.file("f").path, 0o700) == 0)
    let error = #expect(throws: AFMultipartError.self) { try output.finish() }
    #expect(error?.code == .writeFailed && error?.fileURL?.lastPathComponent == "f")
    #expect(try names(directory) == ["f"])
  }
}
