/// The statements: changes into rows, and rows into what they stand for.
extension SQLiteDatabase {
  func apply(_ change: StoreChange) throws(SQLiteFailure) {
    switch change {
    case .add(let transfer):
      try run(
        "INSERT INTO transfer (id, key, state, live, document) VALUES (?1, ?2, ?3, ?4, ?5)",
        [
          .text(transfer.id), .init(transfer.key), .text(transfer.state), .integer(transfer.isLive ? 1 : 0),
          .text(transfer.document),
        ])
    case .update(let transfer):
      try run(
        "UPDATE transfer SET key = ?2, state = ?3, live = ?4, document = ?5 WHERE id = ?1",
        [
          .text(transfer.id), .init(transfer.key), .text(transfer.state), .integer(transfer.isLive ? 1 : 0),
          .text(transfer.document),
        ])
    case .remove(let id):
      try run("DELETE FROM transfer WHERE id = ?1", [.text(id)])
    case .end(let ending):
      // No REPLACE: a second end of one transfer is a fault of the queue, and the first stands.
      try run(
        "INSERT INTO ending (transfer, document) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        [.text(ending.transfer), .text(ending.document)])
    case .acknowledge(let transfer):
      try run("DELETE FROM ending WHERE transfer = ?1", [.text(transfer)])
    case .setOrigin(let origin):
      try run(
        "INSERT INTO origin (name, document) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET document = ?2",
        [.text(origin.name), .text(origin.document)])
    case .setValue(let name, let value):
      try run(
        "INSERT INTO value (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
        [.text(name), .text(value)])
    }
  }

  func apply(_ changes: [StoreChange]) throws(SQLiteFailure) {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      for change in changes { try apply(change) }
      try execute("COMMIT")
    } catch {
      // SQLite has rolled back by itself after some failures; a second time is an error of no consequence.
      try? execute("ROLLBACK")
      throw error
    }
  }

  func snapshot() throws(SQLiteFailure) -> StoreSnapshot {
    var snapshot = StoreSnapshot()
    // One transaction: all of it is of one moment.
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    try readTransfers { snapshot.transfers.append($0) }
    try run("SELECT transfer, document FROM ending ORDER BY sequence") { row in
      snapshot.endings.append(StoredEnding(transfer: row.text(0) ?? "", document: row.text(1) ?? ""))
      return true
    }
    try run("SELECT name, document FROM origin") { row in
      snapshot.origins.append(StoredOrigin(name: row.text(0) ?? "", document: row.text(1) ?? ""))
      return true
    }
    try run("SELECT name, value FROM value") { row in
      snapshot.values[row.text(0) ?? ""] = row.text(1) ?? ""
      return true
    }
    return snapshot
  }

  func readTransfers(_ take: (StoredTransfer) -> Void) throws(SQLiteFailure) {
    try run("SELECT id, key, state, live, document FROM transfer ORDER BY sequence") { row in
      if let transfer = row.transfer { take(transfer) }
      return true
    }
  }
}

extension SQLiteStatement {
  /// A row of identifier, key, state, live and document.
  var transfer: StoredTransfer? {
    guard let id = text(0), let state = text(2), let document = text(4) else { return nil }
    return StoredTransfer(id: id, key: text(1), state: state, isLive: integer(3) != 0, document: document)
  }
}
