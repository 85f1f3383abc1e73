import Foundation

/// The store in a folder: an SQLite database that one process owns.
package final class SQLiteTransferStore: TransferStore, @unchecked Sendable {
  // Unchecked: one thread at a time calls it, as the protocol says; `StoreWriter` sees to that.
  let folder: StoreFolder
  /// What was done about a damaged database at opening.
  package let recovery: StoreRecovery?

  private var lock: StoreLock?
  private let ballast: StoreBallast
  private var database: SQLiteDatabase?

  /// Opens or makes the store in a folder, and takes the right to write to it.
  package init(folder path: String) throws(AFTransferStoreError) {
    folder = StoreFolder(path: path)
    try folder.prepare()
    let lock = try StoreLock(folder.lock)
    self.lock = lock
    ballast = StoreBallast(path: folder.ballast)
    try folder.finishRecovery()
    do throws(SQLiteFailure) {
      database = try Self.open(folder)
      recovery = nil
    } catch {
      guard error.isDamage else { throw error.asStoreError }
      recovery = try folder.recover(reason: error.message)
      do throws(SQLiteFailure) { database = try Self.open(folder) } catch { throw error.asStoreError }
    }
    // A version is known only now. An unknown one is left as it is, and nothing in the folder has changed.
    let found = try perform { database throws(SQLiteFailure) in try database.integer("PRAGMA user_version") }
    guard found <= StoreSchema.version else { throw .newerSchema(found: found, supported: StoreSchema.version) }
    _ = ballast.take()
  }

  /// Opens the database, makes its tables if it is new, and checks it if it is not.
  private static func open(_ folder: StoreFolder) throws(SQLiteFailure) -> SQLiteDatabase {
    folder.makeEmpty(folder.database)
    let database = try SQLiteDatabase(path: folder.database)
    // Before anything else: a newer version's file must not be changed, nor called damaged.
    guard try database.integer("PRAGMA user_version") <= StoreSchema.version else { return database }
    if try database.integer("SELECT count(*) FROM sqlite_schema") == 0 { try database.makeTables() }
    try database.execute(StoreSchema.settings)
    try database.check()
    return database
  }

  package func snapshot() throws(AFTransferStoreError) -> StoreSnapshot {
    try perform { database throws(SQLiteFailure) in try database.snapshot() }
  }

  package func commit(_ changes: [StoreChange]) throws(AFTransferStoreError) {
    let needsRoom = changes.contains(where: \.needsRoom)
    // While the room for ends is not there, nothing is added that will have to end.
    if needsRoom, !ballast.take() { throw .full }
    do throws(AFTransferStoreError) {
      try perform { database throws(SQLiteFailure) in try database.apply(changes) }
    } catch {
      guard error == .full, !needsRoom, ballast.giveUp() else { throw error }
      // What was given up is enough to write the journal back, which then starts at its beginning.
      try? perform { database throws(SQLiteFailure) in try database.run("PRAGMA wal_checkpoint(TRUNCATE)") }
      try perform { database throws(SQLiteFailure) in try database.apply(changes) }
    }
  }

  package func checkpoint() {
    try? perform { database throws(SQLiteFailure) in
      // Pages of what was removed go back to the file system.
      try database.execute("PRAGMA incremental_vacuum")
      try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    _ = ballast.take()
  }

  package func close() {
    database = nil
    lock = nil
  }

  /// Runs `body` with the database. After an input or output error what is on the disk is unknown to the connection: it is opened
  /// anew, which reads the journal, and `body` runs once more.
  private func perform<Result>(
    _ body: (SQLiteDatabase) throws(SQLiteFailure) -> Result
  ) throws(AFTransferStoreError) -> Result {
    guard let lock else { throw .closed }
    guard lock.isHeldHere else { throw .usedAfterFork }
    do throws(SQLiteFailure) {
      if let database {
        do throws(SQLiteFailure) {
          return try body(database)
        } catch {
          guard error.isInputOutput else { throw error }
          self.database = nil
        }
      }
      let opened = try Self.open(folder)
      database = opened
      return try body(opened)
    } catch {
      throw error.asStoreError
    }
  }
}

extension SQLiteDatabase {
  func makeTables() throws(SQLiteFailure) {
    // Before anything is written, or it says nothing.
    try execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL")
    try execute("BEGIN IMMEDIATE; \(StoreSchema.tables) COMMIT;")
  }

  /// Throws unless the file is whole and one of ours.
  func check() throws(SQLiteFailure) {
    guard try integer("PRAGMA application_id") == StoreSchema.application else {
      throw SQLiteFailure(damage: "it is another program's database")
    }
    if let fault = try text("PRAGMA quick_check(1)"), fault != "ok" { throw SQLiteFailure(damage: fault) }
    // That the columns are there.
    for query in StoreSchema.queries { try run(query) { _ in false } }
  }
}
