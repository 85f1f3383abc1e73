import AFCore
import AFSecurity
import AFSupport
import Foundation
import FoundationNetworking

/// The folder in which a download lies while it is unfinished. It outlives the process, however that ends, and one process at a time has it.
///
/// In it are the library's file, under a name of the library's, and a note: of which URL it is, and what the response said about it. The
/// note names the file, so that a file of another response is never taken for it.
final class DownloadPlace: Sendable {
  /// What the note holds.
  struct Note: Codable {
    var version = 1
    /// The SHA-256 of the URL, which may hold secrets.
    let url: String
    /// The name of the library's file.
    let file: String
    let response: DownloadNote
  }

  let path: String
  private let descriptor: Int32
  private let urlDigest: String

  private var notePath: String { "\(path)/note.json" }
  /// Where the library puts the finished file.
  var finished: URL { URL(fileURLWithPath: "\(path)/complete", isDirectory: false) }

  /// Makes the folder, or takes over one that an earlier process has left.
  init(path: String, url: URL) throws(ToolFailure) {
    self.path = path
    urlDigest = Digest.sha256(url.absoluteString)
    descriptor = try Self.open(path)
  }

  deinit { close(descriptor) }

  private static func open(_ path: String) throws(ToolFailure) -> Int32 {
    for _ in 0..<10 {
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("make", path) }
      let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else {
        if errno == ENOENT { continue }
        throw failure("open", path)
      }
      var info = stat()
      guard fstat(descriptor, &info) == 0, info.st_uid == geteuid(), info.st_mode & 0o022 == 0 else {
        close(descriptor)
        throw ToolFailure(.file, "\(path) is not a folder of yours alone; remove it")
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        throw ToolFailure(.file, "another process is downloading to \(path)")
      }
      // The process that had the lock before may have removed the folder.
      var now = stat()
      if stat(path, &now) == 0, now.st_ino == info.st_ino, now.st_dev == info.st_dev { return descriptor }
      close(descriptor)
    }
    throw failure("open", path)
  }

  private static func failure(_ call: String, _ path: String) -> ToolFailure {
    ToolFailure(.file, "\(POSIXFailure(call: call, path: path))")
  }

  /// The files of downloads in the folder.
  private var parts: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasPrefix("AFNetworking-") }
  }

  private var note: Note? {
    guard let data = try? SmallFile.read(notePath, limit: 1 << 20),
      let note = try? JSONDecoder().decode(Note.self, from: data), note.version == 1, note.url == urlDigest,
      note.file.hasPrefix("AFNetworking-"), !note.file.contains("/")
    else { return nil }
    return note
  }

  /// Whether a response has been noted.
  var hasNote: Bool { note != nil }

  private func size(_ name: String) -> Int64 {
    var info = stat()
    return lstat("\(path)/\(name)", &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int64(info.st_size) : 0
  }

  /// How many bytes are there.
  var length: Int64 { parts.map(size).max() ?? 0 }

  /// What the library goes on with; nil if nothing here can be gone on with. What is of no use is removed.
  func resumeData(for request: URLRequest) -> Data? {
    let note = note
    // A process that was killed between the library's last step and ours: the library finds that nothing is missing.
    if let note, size("complete") > 0 { rename(finished.path, "\(path)/\(note.file)") }
    unlink(finished.path)
    for name in parts where name != note?.file { unlink("\(path)/\(name)") }
    guard let note, size(note.file) > 0 else {
      clear()
      return nil
    }
    let file = URL(fileURLWithPath: "\(path)/\(note.file)", isDirectory: false)
    guard let data = note.response.resumeData(for: request, file: file, length: size(note.file)) else {
      clear()
      return nil
    }
    return data
  }

  /// Whether the download could be gone on with as it stands, which may be complete.
  func canGoOn(_ request: URLRequest) -> Bool {
    guard let note else { return false }
    let length = max(size(note.file), size("complete"))
    let file = URL(fileURLWithPath: "\(path)/\(note.file)", isDirectory: false)
    return note.response.resumeData(for: request, file: file, length: length) != nil
  }

  /// Takes note of the response whose body is being written, once for each file.
  /// - Parameter response: Read after the file was seen, so that it is this file's or a later one's.
  func takeNote(of response: () -> HTTPURLResponse?) {
    let before = parts
    guard before.count == 1, let file = before.first, note?.file != file, let response = response(), parts == before,
      [200, 203].contains(response.statusCode)
    else { return }
    write(response, file: file)
  }

  /// Takes note of the response of a finished file that was there too soon to be looked at.
  func takeNote(ofFinished response: HTTPURLResponse?) {
    guard note == nil, let response, [200, 203].contains(response.statusCode) else { return }
    write(response, file: "AFNetworking-\(UUID().uuidString).download")
  }

  private func write(_ response: HTTPURLResponse, file: String) {
    guard let data = try? JSONEncoder().encode(Note(url: urlDigest, file: file, response: DownloadNote(response)))
    else { return }
    try? data.write(to: URL(fileURLWithPath: notePath), options: .atomic)
  }

  /// Removes what is in the folder.
  private func clear() {
    for name in parts { unlink("\(path)/\(name)") }
    unlink(notePath)
  }

  /// Removes the folder with all that is in it.
  func remove() {
    clear()
    unlink(finished.path)
    if rmdir(path) != 0 { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Brings the finished file to its place, in one step.
  func move(to destination: String, overwrites: Bool) throws(ToolFailure) {
    // The library's files are for their owner alone; a downloaded one is like any other that the user makes.
    chmod(finished.path, 0o666 & ~FileMask.value)
    let code =
      overwrites
      ? (rename(finished.path, destination) == 0 ? 0 : errno) : renameExclusively(finished.path, to: destination)
    switch code {
    case 0: remove()
    case EEXIST: throw .exists(destination)
    case EINVAL, ENOSYS:
      // A file system without exclusive rename. A link is as exclusive.
      guard link(finished.path, destination) == 0 else {
        throw errno == EEXIST ? .exists(destination) : Self.failure("link", destination)
      }
      remove()
    default: throw ToolFailure(.file, "\(POSIXFailure(call: "rename to", path: destination, code: code))")
    }
  }
}

extension ToolFailure {
  static func exists(_ path: String) -> ToolFailure {
    ToolFailure(.file, "\(path) is there already; --overwrite replaces it")
  }
}
