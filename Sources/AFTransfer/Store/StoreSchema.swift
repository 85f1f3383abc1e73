/// The tables, and the versions they had.
enum StoreSchema {
  /// `PRAGMA user_version`. A change of the tables adds one and says how the last version becomes it.
  static let version = 1
  /// `PRAGMA application_id`: "AFTQ".
  static let application = 0x4146_5451

  static let tables = """
    CREATE TABLE transfer (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      key TEXT,
      state TEXT NOT NULL,
      live INTEGER NOT NULL,
      document TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX transfer_key ON transfer (key) WHERE key IS NOT NULL AND live = 1;
    CREATE TABLE ending (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      transfer TEXT NOT NULL UNIQUE REFERENCES transfer (id) ON DELETE CASCADE,
      document TEXT NOT NULL
    ) STRICT;
    CREATE TABLE origin (name TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE value (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """

  /// Settings of a connection that writes. WAL with synchronous=FULL: a commit that returned survives a power cut. The journal is
  /// written back at 800 KiB, which is less than the ballast gives up on a full disk.
  static let settings = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA wal_autocheckpoint = 200;
    PRAGMA journal_size_limit = 1048576;
    PRAGMA cache_size = -1024;
    PRAGMA temp_store = MEMORY;
    """

  /// What is read at opening.
  static let queries = [
    "SELECT sequence, id, key, state, live, document FROM transfer", "SELECT sequence, transfer, document FROM ending",
    "SELECT name, document FROM origin", "SELECT name, value FROM value",
  ]
}
