internal import AFSupport
public import Foundation

/// Why a queue's folder cannot be opened, or a change could not be made durable.
///
/// What throws it has changed nothing: an `add` that throws ``full`` has added nothing.
public enum AFTransferStoreError: Error, Hashable, Sendable {
  /// Another opening of this queue owns the folder, in this process or another one. The process's identifier, where it is known.
  case inUse(processIdentifier: Int32?)
  /// The folder, or a file in it, belongs to another user: what it says must not be obeyed.
  case foreignOwner(path: String, owner: UInt32)
  /// Users beside the owner may write to the folder.
  case writableByOthers(path: String)
  /// The folder is on a network file system (NFS, SMB, …), whose locks and shared memory the database cannot rely on.
  case networkFileSystem(path: String, kind: String)
  /// There is something at the folder's place that is not a folder, such as a symbolic link.
  case notAFolder(path: String)
  /// A newer version of this package has written the database. It is left as it is.
  case newerSchema(found: Int, supported: Int)
  /// The disk or the user's quota is full. Transfers can still end and be cancelled: some room is kept for that.
  case full
  /// The database turned out to be damaged while it was in use. The next opening sets it aside and carries over what can be read.
  case damaged(String)
  /// A system call failed: which, on what, and the value of `errno`.
  case system(call: String, path: String, code: Int32)
  /// SQLite refused, with its extended result code.
  case database(code: Int32, message: String)
  /// The queue has been closed.
  case closed
  /// The process is a copy made by `fork` of the one that opened the queue, and has no share in it.
  case usedAfterFork
}

extension AFTransferStoreError: LocalizedError, CustomStringConvertible {
  /// ``description``.
  public var errorDescription: String? { description }

  /// What was wrong, in words, with the path or the number in question. Control characters are escaped.
  public var description: String { text.printable() }

  private var text: String {
    switch self {
    case .inUse(let process?): "the queue is in use by process \(process)"
    case .inUse(nil): "the queue is in use by another process"
    case .foreignOwner(let path, let owner): "\(path) belongs to another user (\(owner))"
    case .writableByOthers(let path): "\(path) may be written to by other users"
    case .networkFileSystem(let path, let kind): "\(path) is on a network file system (\(kind))"
    case .notAFolder(let path): "\(path) is not a folder"
    case .newerSchema(let found, let supported):
      "the queue's database has version \(found), and this program knows none above \(supported)"
    case .full: "there is no room left for the queue's database"
    case .damaged(let reason): "the queue's database is damaged: \(reason)"
    case .system(let call, let path, let code): "\(call) \(path): \(String(cString: strerror(code)))"
    case .database(let code, let message): "the queue's database: \(message) (SQLite \(code))"
    case .closed: "the queue has been closed"
    case .usedAfterFork: "the queue belongs to the process that opened it, not to its fork"
    }
  }
}
