import AFTestSupport
import CSQLite
import Foundation
import Testing

@testable import AFTransfer

/// What may be found in the place of a store.
@Suite struct StoreOpeningTests {
  private let directory: TemporaryDirectory
  private var folder: StoreFolder { StoreFolder(path: directory.path + "/queue") }

  init() throws { directory = try TemporaryDirectory() }

  private func fill(_ count: Int = 500) throws {
    let store = try SQLiteTransferStore(folder: folder.path)
    try store.commit(
      (0..<count).map {
        .add(StoredTransfer(id: "t\($0)", state: "queued", document: String(repeating: "d", count: 200)))
      })
    try store.commit([.end(StoredEnding(transfer: "t0", document: "e"))])
    store.checkpoint()
    store.close()
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.database)) }
  private func write(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: folder.database)) }

  @Test(arguments: 0..<24) func `a damaged page costs its own rows, and the file is set aside`(seed: Int) throws {
    try fill()
    var data = try bytes()
    // Some pages hold free space, or nothing that a check sees: then nothing is lost.
    var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
    for _ in 0..<(seed % 3 + 1) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let start = 4096 + Int(state >> 33) % (data.count - 4096 - 600)
      for offset in 0..<600 { data[start + offset] = UInt8(truncatingIfNeeded: state >> UInt64(offset % 50)) }
    }
    try write(data)
    let store = try SQLiteTransferStore(folder: folder.path)
    let kept = try store.snapshot().transfers
    if let recovery = store.recovery {
      #expect(recovery.carriedOver == kept.count)
      #expect(try Data(contentsOf: URL(fileURLWithPath: recovery.folder + "/queue.sqlite")) == data)
    } else {
      #expect(kept.count == 500)
    }
    // 16 rows are on a page.
    #expect(kept.count > 400)
    // It is a store like any other.
    try store.commit([.add(StoredTransfer(id: "new", state: "queued", document: ""))])
    store.close()
    let again = try SQLiteTransferStore(folder: folder.path)
    #expect(again.recovery == nil)
    #expect(try again.snapshot().transfers.count == kept.count + 1)
  }

  @Test(arguments: [0, 1, 50, 99, 100, 4095, 4096, 5000, 20_000, 60_001])
  func `a file that was cut off is set aside, and an empty one is a new store`(size: Int) throws {
    try fill()
    try write(try bytes().prefix(size))
    let store = try SQLiteTransferStore(folder: folder.path)
    #expect((store.recovery == nil) == (size < 2))
    try store.commit([.add(StoredTransfer(id: "new", state: "queued", document: ""))])
  }

  @Test(arguments: ["garbage", "SQLite format 3\0 and then something else", String(repeating: "\0", count: 8192)])
  func `what is no database is set aside`(text: String) throws {
    try fill(1)
    try write(Data(text.utf8))
    let store = try SQLiteTransferStore(folder: folder.path)
    let recovery = try #require(store.recovery)
    #expect(recovery.carriedOver == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: recovery.folder + "/queue.sqlite")) == Data(text.utf8))
    #expect(try store.snapshot() == StoreSnapshot())
  }

  @Test(arguments: [
    "DROP TABLE ending", "ALTER TABLE transfer DROP COLUMN state", "PRAGMA application_id = 7",
    "DROP TABLE transfer; CREATE TABLE transfer (id TEXT)",
  ])
  func `a database of another make is set aside`(change: String) throws {
    try fill(3)
    try SQLiteDatabase(path: folder.database).execute("PRAGMA foreign_keys = OFF; \(change)")
    let store = try SQLiteTransferStore(folder: folder.path)
    #expect(store.recovery != nil)
    #expect(try store.snapshot().transfers.count == (change.contains("ending") || change.contains("PRAGMA") ? 3 : 0))
  }

  @Test(arguments: [2, 3, 1_000_000]) func `a newer schema is a typed error, and stays as it is`(version: Int) throws {
    try fill(3)
    try SQLiteDatabase(path: folder.database).execute("PRAGMA user_version = \(version); DROP TABLE ending")
    let before = try bytes()
    #expect(throws: AFTransferStoreError.newerSchema(found: version, supported: 1)) {
      try SQLiteTransferStore(folder: folder.path)
    }
    #expect(try bytes() == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.damaged).isEmpty)
  }

  @Test func `a recovery that was cut off is made again, or ended`() throws {
    try fill(5)
    // Cut off while the new file was written: the old one is still there.
    try Data("half".utf8).write(to: URL(fileURLWithPath: folder.recovered))
    #expect(try count() == 5)
    #expect(access(folder.recovered, F_OK) != 0)
    // Cut off after the old one was moved, its journal not yet.
    try FileManager.default.moveItem(atPath: folder.database, toPath: folder.recovered)
    try Data("journal of the old".utf8).write(to: URL(fileURLWithPath: folder.database + "-wal"))
    #expect(try count() == 5)
    #expect(access(folder.recovered, F_OK) != 0)
    let aside = try FileManager.default.contentsOfDirectory(atPath: folder.damaged)
    #expect(aside.count == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.damaged + "/" + aside[0]) == ["queue.sqlite-wal"])
  }

  private func count() throws -> Int {
    let store = try SQLiteTransferStore(folder: folder.path)
    defer { store.close() }
    #expect(store.recovery == nil)
    return try store.snapshot().transfers.count
  }

  @Test func `a folder that others may write to is refused`() throws {
    try fill(1)
    for place in [folder.database, folder.spool, folder.path] {
      let usual: mode_t = place == folder.database ? 0o600 : 0o700
      for mode in [0o020, 0o002] as [mode_t] {
        chmod(place, usual | mode)
        #expect(throws: AFTransferStoreError.writableByOthers(path: place)) {
          try SQLiteTransferStore(folder: folder.path)
        }
      }
      chmod(place, usual)
    }
    _ = try SQLiteTransferStore(folder: folder.path)
  }

  @Test func `what another user owns is refused`() throws {
    var status = stat()
    status.st_uid = geteuid() + 1
    status.st_mode = S_IFDIR | 0o700
    #expect(throws: AFTransferStoreError.foreignOwner(path: "/q", owner: geteuid() + 1)) {
      try StoreFolder.check(status, path: "/q")
    }
    guard geteuid() == 0 else { return }
    try fill(1)
    chown(folder.database, 65534, 65534)
    #expect(throws: AFTransferStoreError.foreignOwner(path: folder.database, owner: 65534)) {
      try SQLiteTransferStore(folder: folder.path)
    }
  }

  @Test func `a link or a file in the folder's place is refused`() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: directory.path)
    #expect(throws: AFTransferStoreError.notAFolder(path: folder.path)) { try SQLiteTransferStore(folder: folder.path) }
    unlink(folder.path)
    try Data().write(to: URL(fileURLWithPath: folder.path))
    #expect(throws: AFTransferStoreError.notAFolder(path: folder.path)) { try SQLiteTransferStore(folder: folder.path) }
  }

  @Test(
    arguments: [
      (0x6969, "nfs"), (0xFF53_4D42, "cifs"), (0xFE53_4D42, "smb"), (0x0102_1997, "9p"), (0x00C3_6400, "ceph"),
      (0xEF53, nil), (0x0102_1994, nil), (0x9123_683E, nil), (0x794C_7630, nil), (0xF2F5_2010, nil), (0, nil),
    ] as [(UInt, String?)])
  func `network file systems are told from others by their magic number`(magic: UInt, kind: String?) {
    #expect(StoreFolder.networkFileSystem(magic: magic) == kind)
  }
}
