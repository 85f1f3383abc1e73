import CSQLite
import Foundation

/// The queue's own files: bodies handed over or copied, and parts of downloads. All of it blocks: never on the queue's actor.
struct Spool: Sendable {
  let folder: String

  func body(_ id: UUID) -> String { "\(folder)/\(id.uuidString).body" }
  func part(_ id: UUID) -> String { "\(folder)/\(id.uuidString).part" }

  /// What the file to send is, before anything is moved or copied.
  func inspect(_ request: AFTransferRequest) throws(AFTransferError) -> FileFingerprint {
    let path = request.file.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw AFTransferError(.sourceMissing, "\(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw AFTransferError(.sourceMissing, "\(path) is no regular file")
    }
    guard access(path, R_OK) == 0 else {
      throw AFTransferError(.sourceMissing, "\(path): \(String(cString: strerror(errno)))")
    }
    return FileFingerprint(status, isMoved: request.source == .handOver)
  }

  /// Copies the file to send into the spool, before the transfer is added.
  func copy(_ path: String, to place: String) throws(AFTransferError) -> FileFingerprint {
    try Self.copyFile(path, to: place)
    var status = stat()
    guard stat(place, &status) == 0 else { throw Self.failure("stat", place) }
    return FileFingerprint(status)
  }

  /// Moves the file to send into the spool, after the record is durable: nothing is in the spool without a record. Done again at the
  /// next opening if a crash came between.
  func takeOver(_ path: String, to place: String) throws(AFTransferError) -> FileFingerprint {
    if rename(path, place) != 0 {
      guard errno == EXDEV else { throw Self.failure("rename", path) }
      try Self.copyFile(path, to: place)
      unlink(path)
    }
    try? StoreFolder.synchronize(folder)
    try? StoreFolder.synchronize((path as NSString).deletingLastPathComponent)
    var status = stat()
    guard stat(place, &status) == 0 else { throw Self.failure("stat", place) }
    return FileFingerprint(status, isMoved: true)
  }

  /// Moves a whole download to its place, durably.
  func deliver(_ part: String, to destination: String) throws(AFTransferError) {
    let parent = (destination as NSString).deletingLastPathComponent
    if rename(part, destination) != 0 {
      guard errno == EXDEV else { throw Self.failure("rename", destination) }
      let near = "\(parent)/.\(UUID().uuidString).part"
      do throws(AFTransferError) {
        try Self.copyFile(part, to: near)
        guard rename(near, destination) == 0 else { throw Self.failure("rename", destination) }
      } catch {
        unlink(near)
        throw error
      }
      unlink(part)
    }
    try? StoreFolder.synchronize(parent)
  }

  /// Deletes what a transfer had.
  func remove(_ id: UUID) {
    unlink(body(id))
    unlink(part(id))
  }

  /// Deletes what belongs to no transfer: a copy whose transfer was not added.
  func removeAll(but ids: Set<String>) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      if !ids.contains((name as NSString).deletingPathExtension) { unlink("\(folder)/\(name)") }
    }
  }

  /// A copy that shares blocks where the file system can, and is on the disk when this returns.
  private static func copyFile(_ from: String, to place: String) throws(AFTransferError) {
    let source = open(from, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw AFTransferError(.sourceMissing, "\(from): \(String(cString: strerror(errno)))") }
    defer { close(source) }
    let target = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw failure("open", place) }
    var isWhole = false
    defer {
      close(target)
      if !isWhole { unlink(place) }
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      var count = Int(af_copy_file_range(source, target, 1 << 30))
      if count < 0, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) {
        count = read(source, &buffer, buffer.count)
        if count > 0 {
          let written = write(target, buffer, count)
          guard written >= 0 else { throw failure("write", place) }
          if written < count { lseek(source, off_t(written - count), SEEK_CUR) }
        }
      }
      if count == 0 { break }
      guard count > 0 else { throw failure("copy", place) }
    }
    guard fsync(target) == 0 else { throw failure("fsync", place) }
    isWhole = true
  }

  private static func failure(_ call: String, _ path: String) -> AFTransferError {
    AFTransferError(.cannotWrite, "\(call) \(path): \(String(cString: strerror(errno)))")
  }
}

/// Runs what may wait for a disk on a thread where no other work waits behind it.
func onDisk<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global(qos: .utility).async { continuation.resume(returning: body()) }
  }
}
