import CSQLite
import Foundation

/// The folder of one queue: its places, and whether it may be trusted.
struct StoreFolder: Hashable, Sendable {
  let path: String

  var lock: String { path + "/lock" }
  var database: String { path + "/queue.sqlite" }
  /// A new database that has all that could be read of a damaged one.
  var recovered: String { path + "/recovered.sqlite" }
  var ballast: String { path + "/ballast" }
  var inbox: String { path + "/inbox" }
  var spool: String { path + "/spool" }
  var damaged: String { path + "/damaged" }

  /// Makes the folder if there is none, and looks whether it is one that a queue may live in.
  func prepare() throws(AFTransferStoreError) {
    try Self.makeFolders(path)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw errno == ENOTDIR || errno == ELOOP
        ? .notAFolder(path: path) : .system(call: "open", path: path, code: errno)
    }
    defer { close(descriptor) }
    try Self.check(descriptor, path: path)
    if let kind = Self.networkFileSystem(magic: af_file_system_magic(descriptor)) {
      throw .networkFileSystem(path: path, kind: kind)
    }
    for place in [inbox, spool, damaged] { try Self.makeFolders(place) }
    for place in [database, lock, inbox, spool] { try Self.check(place) }
  }

  /// The file system's name if other machines share it, by its magic number (statfs(2)).
  static func networkFileSystem(magic: UInt) -> String? {
    switch magic {
    case 0x6969: "nfs"
    case 0x517B, 0xFE53_4D42: "smb"
    case 0xFF53_4D42: "cifs"
    case 0x0102_1997: "9p"
    case 0x00C3_6400: "ceph"
    case 0x5346_414F, 0x6B41_4653: "afs"
    case 0x0BD0_0BD0: "lustre"
    case 0x7375_7245: "coda"
    case 0x0116_1970: "gfs2"
    case 0x7461_636F: "ocfs2"
    default: nil
    }
  }

  /// Throws unless the file, if there is one, is ours, and no other user may write to it.
  private static func check(_ place: String) throws(AFTransferStoreError) {
    var status = stat()
    guard lstat(place, &status) == 0 else {
      if errno == ENOENT { return }
      throw .system(call: "lstat", path: place, code: errno)
    }
    try check(status, path: place)
  }

  private static func check(_ descriptor: Int32, path: String) throws(AFTransferStoreError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", path: path, code: errno) }
    try check(status, path: path)
  }

  static func check(_ status: stat, path: String) throws(AFTransferStoreError) {
    guard status.st_uid == geteuid() else { throw .foreignOwner(path: path, owner: status.st_uid) }
    guard status.st_mode & 0o022 == 0 || status.st_mode & S_IFMT == S_IFLNK else { throw .writableByOthers(path: path) }
  }

  /// Makes what is missing of a path, readable by no other user.
  private static func makeFolders(_ path: String) throws(AFTransferStoreError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw .system(call: "mkdir", path: path, code: errno) }
    let parent = (path as NSString).deletingLastPathComponent
    guard !parent.isEmpty, parent != path else { throw .system(call: "mkdir", path: path, code: ENOENT) }
    try makeFolders(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(call: "mkdir", path: path, code: errno) }
    try? synchronize(parent)
  }

  /// Makes the names in a folder durable: what was made, renamed and removed there.
  static func synchronize(_ folder: String) throws(AFTransferStoreError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(call: "open", path: folder, code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(call: "fsync", path: folder, code: errno) }
  }
}
