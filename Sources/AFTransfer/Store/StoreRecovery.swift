import CSQLite
import Foundation

/// Damaged databases are set aside, never deleted, and what can be read of them goes on.
///
/// The order bears a kill at any moment: first all that can be read goes into a new file, then the old ones are moved away, then the
/// new one takes the name. Without the old one under its name, the new one is whole.
extension StoreFolder {
  private static let suffixes = ["", "-wal", "-shm"]

  /// Ends a recovery that was cut off.
  func finishRecovery() throws(AFTransferStoreError) {
    guard access(recovered, F_OK) == 0 else { return }
    if access(database, F_OK) == 0 {
      for suffix in Self.suffixes { unlink(recovered + suffix) }
    } else {
      try takeRecovered(settingAsideIn: newDamagedFolder())
    }
  }

  /// Carries over what can be read of the database, and sets it aside.
  func recover(reason: String) throws(AFTransferStoreError) -> StoreRecovery {
    for suffix in Self.suffixes { unlink(recovered + suffix) }
    let snapshot = readable()
    do throws(SQLiteFailure) { try write(snapshot) } catch { throw error.asStoreError }
    let place = try newDamagedFolder()
    try takeRecovered(settingAsideIn: place)
    return StoreRecovery(folder: place, carriedOver: snapshot.transfers.count, reason: reason)
  }

  /// A database with nothing in it, for this user's eyes only; SQLite gives its journal the same rights.
  func makeEmpty(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  private func takeRecovered(settingAsideIn place: String) throws(AFTransferStoreError) {
    for suffix in Self.suffixes where access(database + suffix, F_OK) == 0 {
      guard rename(database + suffix, place + "/queue.sqlite" + suffix) == 0 else {
        throw .system(call: "rename", path: database + suffix, code: errno)
      }
    }
    guard rename(recovered, database) == 0 else { throw .system(call: "rename", path: recovered, code: errno) }
    try Self.synchronize(path)
  }

  private func newDamagedFolder() throws(AFTransferStoreError) -> String {
    let base = "\(damaged)/\(time(nil))"
    for attempt in 0..<1000 {
      let place = attempt == 0 ? base : "\(base)-\(attempt)"
      if mkdir(place, 0o700) == 0 { return place }
      guard errno == EEXIST else { throw .system(call: "mkdir", path: place, code: errno) }
    }
    throw .system(call: "mkdir", path: base, code: EEXIST)
  }

  /// All rows that can be read. A damaged page ends a walk through a table, so each transfer is looked for by its number: a page
  /// then costs the rows that are on it.
  private func readable() -> StoreSnapshot {
    var snapshot = StoreSnapshot()
    guard let old = try? SQLiteDatabase(path: database) else { return snapshot }
    var seen: Set<String> = []
    var keys: Set<String> = []
    var last = (try? old.integer("SELECT seq FROM sqlite_sequence WHERE name = 'transfer'")) ?? 0
    last = max(last, (try? old.integer("SELECT max(sequence) FROM transfer")) ?? 0)
    for number in stride(from: 1, through: min(last, 10_000_000), by: 1) {
      let query = "SELECT id, key, state, live, document FROM transfer NOT INDEXED WHERE sequence = ?1"
      try? old.run(query, [.integer(number)]) { row in
        guard let transfer = row.transfer, seen.insert(transfer.id).inserted else { return false }
        if transfer.isLive, let key = transfer.key, !keys.insert(key).inserted { return false }
        snapshot.transfers.append(transfer)
        return false
      }
    }
    let kept = Set(snapshot.transfers.map(\.id))
    try? old.run("SELECT transfer, document FROM ending ORDER BY sequence") { row in
      guard let transfer = row.text(0), let document = row.text(1), kept.contains(transfer) else { return true }
      snapshot.endings.append(StoredEnding(transfer: transfer, document: document))
      return true
    }
    try? old.run("SELECT name, document FROM origin") { row in
      guard let name = row.text(0), let document = row.text(1) else { return true }
      snapshot.origins.append(StoredOrigin(name: name, document: document))
      return true
    }
    try? old.run("SELECT name, value FROM value") { row in
      if let name = row.text(0), let value = row.text(1) { snapshot.values[name] = value }
      return true
    }
    return snapshot
  }

  /// Without WAL: the file is whole when it is closed, with no journal beside it.
  private func write(_ snapshot: StoreSnapshot) throws(SQLiteFailure) {
    makeEmpty(recovered)
    let new = try SQLiteDatabase(path: recovered)
    try new.makeTables()
    try new.apply(
      snapshot.transfers.map(StoreChange.add) + snapshot.endings.map(StoreChange.end)
        + snapshot.origins.map(StoreChange.setOrigin)
        + snapshot.values.map { StoreChange.setValue(name: $0.key, value: $0.value) })
  }
}

extension SQLiteFailure {
  /// Damage that SQLite itself did not call so.
  init(damage message: String) {
    self.init(code: SQLITE_CORRUPT, message: message, systemCode: 0)
  }
}
