import Foundation

/// What tells a file from what it was: a change of the contents changes one of these.
struct FileFingerprint: Codable, Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  var size: Int64
  /// Nanoseconds.
  var modified: Int64
  /// Nanoseconds. nil for a file that is moved, which changes it.
  var changed: Int64?

  init(_ status: stat, isMoved: Bool = false) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    changed = isMoved ? nil : Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
  }

  func matches(_ status: stat) -> Bool {
    FileFingerprint(status, isMoved: changed == nil) == self
  }
}
