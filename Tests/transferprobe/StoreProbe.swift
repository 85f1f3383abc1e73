import AFTransfer
import Foundation

/// Changes a store at random: the same changes for the same seed.
///
/// Says `? ID COUNT OPERATION` before a commit and `! ID COUNT OPERATION` after it. `COUNT` tells one state of a transfer from another.
struct StoreProbe {
  private var state: UInt64
  private var count = 0

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func random(below limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % limit
  }

  mutating func run(_ store: SQLiteTransferStore) throws {
    let snapshot = try store.snapshot()
    var live = snapshot.transfers.filter(\.isLive).map(\.id)
    var ended = snapshot.endings.map(\.transfer)
    // Goes on where the last run was killed.
    count = (snapshot.transfers.compactMap { Int($0.document) } + [Int(snapshot.values["count"] ?? "") ?? 0]).max() ?? 0
    say("open")
    while true {
      count += 1
      let value = StoreChange.setValue(name: "count", value: "\(count)")
      switch random(below: 10) {
      case 0...3:
        let id = "t\(count)"
        try commit("add", id, [.add(transfer(id, "queued")), value], store)
        live.append(id)
      case 4...6 where !live.isEmpty:
        let id = live[random(below: live.count)]
        try commit("update", id, [.update(transfer(id, "running")), value], store)
      case 7...8 where !live.isEmpty:
        let id = live.remove(at: random(below: live.count))
        let ending = StoredEnding(transfer: id, document: "\(count)")
        try commit("end", id, [.update(transfer(id, "completed", isLive: false)), .end(ending), value], store)
        ended.append(id)
      case 9 where !ended.isEmpty:
        let id = ended.remove(at: random(below: ended.count))
        try commit("acknowledge", id, [.acknowledge(id), value], store)
      default: continue
      }
      if count % 64 == 0 { store.checkpoint() }
    }
  }

  private func transfer(_ id: String, _ state: String, isLive: Bool = true) -> StoredTransfer {
    StoredTransfer(id: id, key: "key-\(id)", state: state, isLive: isLive, document: "\(count)")
  }

  private func commit(
    _ operation: String, _ id: String, _ changes: [StoreChange], _ store: SQLiteTransferStore
  ) throws {
    say("? \(id) \(count) \(operation)")
    try store.commit(changes)
    say("! \(id) \(count) \(operation)")
  }
}

/// Adds until there is no room, ends and removes all of it, and adds once more.
func fill(_ store: SQLiteTransferStore) throws {
  var added = 0
  do {
    while added < 100_000 {
      let document = String(repeating: "x", count: 2000)
      try store.commit([.add(StoredTransfer(id: "t\(added)", state: "queued", document: document))])
      added += 1
    }
    say("never full")
  } catch AFTransferStoreError.full {
    say("full \(added)")
  }
  do {
    try store.commit([.add(StoredTransfer(id: "more", state: "queued", document: String(repeating: "x", count: 9000)))])
    say("added")
  } catch AFTransferStoreError.full {
    say("still full")
  }
  for number in 0..<min(added, 20) {
    try store.commit([
      .update(StoredTransfer(id: "t\(number)", state: "failed", isLive: false, document: "")),
      .end(StoredEnding(transfer: "t\(number)", document: "failed")),
    ])
  }
  say("ended \(min(added, 20))")
  for number in 0..<added { try store.commit([.remove("t\(number)")]) }
  say("removed")
  store.checkpoint()
  try store.commit([.add(StoredTransfer(id: "after", state: "queued", document: ""))])
  say("added after")
}
