import CSQLite
import Foundation

/// One connection to an SQLite database. One thread at a time calls it.
final class SQLiteDatabase {
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the file, which must exist.
  init(path: String, readOnly: Bool = false) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
    guard code == SQLITE_OK, let opened else {
      let failure = SQLiteFailure(code: code, handle: opened)
      sqlite3_close_v2(opened)
      throw failure
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 2000)
    _ = af_sqlite_defend(handle)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Runs statements that have no parameters and whose rows are not needed.
  func execute(_ sql: String) throws(SQLiteFailure) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteFailure(code: code, handle: handle) }
  }

  /// Runs one statement, which is kept for the next time, and hands its rows to `row` until that returns false.
  func run(
    _ sql: String, _ values: [SQLiteValue] = [], row: (SQLiteStatement) -> Bool = { _ in true }
  ) throws(SQLiteFailure) {
    let statement: SQLiteStatement
    if let kept = statements[sql] {
      statement = kept
    } else {
      statement = try SQLiteStatement(sql, in: handle)
      statements[sql] = statement
    }
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {
      guard row(statement) else { break }
    }
  }

  /// The integer that a pragma or query answers with.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int {
    var value = 0
    try run(sql) { row in
      value = row.integer(0)
      return false
    }
    return value
  }

  /// The text that a pragma or query answers with.
  func text(_ sql: String) throws(SQLiteFailure) -> String? {
    var value: String?
    try run(sql) { row in
      value = row.text(0)
      return false
    }
    return value
  }
}

/// What a statement's parameter is set to.
enum SQLiteValue {
  case text(String)
  case integer(Int)
  case null

  init(_ text: String?) {
    self = text.map(Self.text) ?? .null
  }
}

/// A statement, compiled.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let database: OpaquePointer

  init(_ sql: String, in database: OpaquePointer) throws(SQLiteFailure) {
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard code == SQLITE_OK, let compiled else { throw SQLiteFailure(code: code, handle: database) }
    handle = compiled
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLiteValue]) throws(SQLiteFailure) {
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      let code =
        switch value {
        case .integer(let number): sqlite3_bind_int64(handle, position, Int64(number))
        case .null: sqlite3_bind_null(handle, position)
        // SQLITE_TRANSIENT: SQLite copies the text before the call returns.
        case .text(let text):
          sqlite3_bind_text(handle, position, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
      guard code == SQLITE_OK else { throw SQLiteFailure(code: code, handle: database) }
    }
  }

  /// Whether there is another row.
  func step() throws(SQLiteFailure) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteFailure(code: code, handle: database)
    }
  }

  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  func text(_ column: Int32) -> String? {
    sqlite3_column_text(handle, column).map { String(cString: $0) }
  }
}

/// What SQLite said instead of doing it.
struct SQLiteFailure: Error {
  /// The extended result code.
  let code: Int32
  let message: String
  /// The value of `errno` beneath, or 0.
  let systemCode: Int32

  init(code: Int32, message: String, systemCode: Int32) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }

  init(code: Int32, handle: OpaquePointer?) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    self.code = extended & 0xFF == code & 0xFF ? extended : code
    message = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
    systemCode = handle.map { sqlite3_system_errno($0) } ?? 0
  }

  private var primary: Int32 { code & 0xFF }

  var isFull: Bool {
    primary == SQLITE_FULL
      || ([SQLITE_IOERR, SQLITE_CANTOPEN].contains(primary) && (systemCode == ENOSPC || systemCode == EDQUOT))
  }

  /// Whether it is the file's contents that are wrong. SQLITE_ERROR: a table or a column is not there.
  var isDamage: Bool {
    [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_FORMAT, SQLITE_MISMATCH].contains(primary)
  }

  /// Whether the connection must not be used any longer: what is on the disk is not known.
  var isInputOutput: Bool { primary == SQLITE_IOERR && !isFull }

  var asStoreError: AFTransferStoreError {
    if isFull { return .full }
    if isDamage { return .damaged(message) }
    return .database(code: code, message: message)
  }
}
