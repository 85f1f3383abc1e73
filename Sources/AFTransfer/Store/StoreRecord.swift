/// A transfer as the store keeps it: what is searched for in columns, the rest in a document that the store does not read.
package struct StoredTransfer: Hashable, Sendable {
  package var id: String
  /// The caller's key: one live transfer has it.
  package var key: String?
  /// The name of its state, for who looks into the database with `sqlite3`.
  package var state: String
  /// Whether it has not ended.
  package var isLive: Bool
  /// JSON.
  package var document: String

  package init(id: String, key: String? = nil, state: String, isLive: Bool = true, document: String) {
    (self.id, self.key, self.state, self.isLive, self.document) = (id, key, state, isLive, document)
  }
}

/// An end that the app has not acknowledged. A transfer has one at most.
package struct StoredEnding: Hashable, Sendable {
  package var transfer: String
  /// JSON.
  package var document: String

  package init(transfer: String, document: String) {
    (self.transfer, self.document) = (transfer, document)
  }
}

/// What was learned about a server: its breaker, its protocol's rules.
package struct StoredOrigin: Hashable, Sendable {
  package var name: String
  /// JSON.
  package var document: String
}

/// One change of the store. Those of one commit are made together or not at all.
package enum StoreChange: Hashable, Sendable {
  /// A new transfer, at the end of the order. It takes the place of none: that fails.
  case add(StoredTransfer)
  /// Another state of a transfer that is there; nothing if it is not.
  case update(StoredTransfer)
  /// Removes a transfer, and its ending.
  case remove(String)
  case end(StoredEnding)
  case acknowledge(String)
  case setOrigin(StoredOrigin)
  case setValue(name: String, value: String)

  /// Whether it adds to what is kept: refused on a full disk, when room is left only for ends.
  package var needsRoom: Bool {
    if case .add = self { true } else { false }
  }
}

/// All that a store holds, transfers in the order they were added in.
package struct StoreSnapshot: Hashable, Sendable {
  package var transfers: [StoredTransfer] = []
  package var endings: [StoredEnding] = []
  package var origins: [StoredOrigin] = []
  package var values: [String: String] = [:]
}

/// What was done about a damaged database.
package struct StoreRecovery: Hashable, Sendable {
  /// The folder that the damaged files are in now.
  package var folder: String
  /// The transfers that could be read and were carried over.
  package var carriedOver: Int
  /// What was wrong.
  package var reason: String
}

/// The seam between the queue and what keeps it. One thread at a time calls it.
package protocol TransferStore: AnyObject, Sendable {
  /// All that is kept.
  func snapshot() throws(AFTransferStoreError) -> StoreSnapshot
  /// Makes the changes in their order, as one: they are on the disk when this returns, or none of them is.
  func commit(_ changes: [StoreChange]) throws(AFTransferStoreError)
  /// Tidies up, when nothing else is to be done.
  func checkpoint()
  func close()
}
