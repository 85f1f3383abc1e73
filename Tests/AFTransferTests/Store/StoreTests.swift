import AFTestSupport
import Foundation
import Testing

@testable import AFTransfer

@Suite struct StoreTests {
  private let directory: TemporaryDirectory
  private var folder: String { directory.path + "/queue" }

  init() throws { directory = try TemporaryDirectory() }

  private func transfer(_ id: String, key: String? = nil, _ state: String = "queued", isLive: Bool = true)
    -> StoredTransfer
  {
    StoredTransfer(id: id, key: key, state: state, isLive: isLive, document: #"{"id":"\#(id)","text":"ä \u0000 '"}"#)
  }

  @Test func `what is committed is there when the store is opened again, in the order it was added in`() throws {
    let store = try SQLiteTransferStore(folder: folder)
    #expect(try store.snapshot() == StoreSnapshot())
    try store.commit([
      .add(transfer("b", key: "one")), .add(transfer("a")), .add(transfer("c")),
      .setOrigin(StoredOrigin(name: "https://example.com", document: "{}")), .setValue(name: "boot", value: "1"),
    ])
    try store.commit([
      .update(transfer("a", "completed", isLive: false)), .end(StoredEnding(transfer: "a", document: "whole")),
      .end(StoredEnding(transfer: "a", document: "second")), .remove("c"), .setValue(name: "boot", value: "2"),
      .setOrigin(StoredOrigin(name: "https://example.com", document: "[]")),
    ])
    store.close()
    #expect(throws: AFTransferStoreError.closed) { try store.snapshot() }

    let snapshot = try StoreTests.reopened(folder)
    #expect(snapshot.transfers == [transfer("b", key: "one"), transfer("a", "completed", isLive: false)])
    // A transfer has one end: the first.
    #expect(snapshot.endings == [StoredEnding(transfer: "a", document: "whole")])
    #expect(snapshot.origins == [StoredOrigin(name: "https://example.com", document: "[]")])
    #expect(snapshot.values == ["boot": "2"])
  }

  private static func reopened(_ folder: String) throws -> StoreSnapshot {
    let store = try SQLiteTransferStore(folder: folder)
    defer { store.close() }
    #expect(store.recovery == nil)
    return try store.snapshot()
  }

  @Test func `a commit is made whole or not at all`() throws {
    let store = try SQLiteTransferStore(folder: folder)
    try store.commit([.add(transfer("a", key: "one"))])
    // The key is taken, and so is the identifier.
    for second in [transfer("c", key: "one"), transfer("a")] {
      #expect(throws: AFTransferStoreError.self) { try store.commit([.add(transfer("b")), .add(second)]) }
      #expect(try store.snapshot().transfers == [transfer("a", key: "one")])
    }
    // A transfer that has ended gives its key up.
    try store.commit([.update(transfer("a", key: "one", "cancelled", isLive: false)), .add(transfer("c", key: "one"))])
    #expect(try store.snapshot().transfers.map(\.id) == ["a", "c"])
  }

  @Test func `an end goes when it is acknowledged, and with its transfer`() throws {
    let store = try SQLiteTransferStore(folder: folder)
    try store.commit(["a", "b"].flatMap { [.add(transfer($0)), .end(StoredEnding(transfer: $0, document: ""))] })
    try store.commit([.acknowledge("a")])
    #expect(try store.snapshot().endings.map(\.transfer) == ["b"])
    try store.commit([.remove("b")])
    #expect(try store.snapshot().endings.isEmpty)
    // An end without its transfer is a fault.
    #expect(throws: AFTransferStoreError.self) {
      try store.commit([.end(StoredEnding(transfer: "nothing", document: ""))])
    }
  }

  @Test func `10,000 are added as one, and the journal is small again afterwards`() throws {
    let store = try SQLiteTransferStore(folder: folder)
    try store.commit((0..<10_000).map { .add(transfer("t\($0)")) })
    store.checkpoint()
    #expect(try store.snapshot().transfers.count == 10_000)
    let size = try FileManager.default.attributesOfItem(atPath: folder + "/queue.sqlite-wal")[.size] as? Int
    #expect((size ?? .max) <= 8 << 20)
  }

  @Test func `files and folders are the user's alone`() throws {
    let store = try SQLiteTransferStore(folder: folder)
    try store.commit([.add(transfer("a"))])
    for name in ["", "/inbox", "/spool", "/damaged"] { #expect(try mode(folder + name) == 0o700, "\(name)") }
    for name in ["/queue.sqlite", "/queue.sqlite-wal", "/queue.sqlite-shm", "/lock", "/ballast"] {
      #expect(try mode(folder + name) == 0o600, "\(name)")
    }
  }

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `a second owner is refused, in one process too, and told who the first is`() throws {
    let store = try SQLiteTransferStore(folder: folder)
    #expect(throws: AFTransferStoreError.inUse(processIdentifier: getpid())) { try SQLiteTransferStore(folder: folder) }
    try store.commit([.add(transfer("a"))])
  }

  // MARK: the writer

  @Test func `many commits at once are all made, and each hears of its own`() async throws {
    let writer = StoreWriter(try SQLiteTransferStore(folder: folder))
    let failures = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        // Each tenth has an identifier that is taken.
        let id = number % 10 == 9 ? "t0" : "t\(number)"
        group.addTask { (try? await writer.commit([.add(transfer(id))])) == nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    await writer.close()
    #expect(failures == 20)
    #expect(try StoreTests.reopened(folder).transfers.count == 180)
    await #expect(throws: AFTransferStoreError.closed) { try await writer.commit([]) }
  }

  @Test func `what is noted rides with the next commit, and never undoes it`() async throws {
    let store = try SQLiteTransferStore(folder: folder)
    let writer = StoreWriter(store)
    try await writer.commit([.add(transfer("a")), .add(transfer("b"))])
    writer.note(transfer("a", "noted"))
    writer.note(transfer("b", "noted"))
    writer.note(transfer("gone", "noted"))
    try await writer.commit([.update(transfer("b", "committed"))])
    writer.note(transfer("b", "noted later"))
    await writer.close()
    #expect(try StoreTests.reopened(folder).transfers.map(\.state) == ["noted", "noted later"])
  }
}
