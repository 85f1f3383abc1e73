import COpenSSL
import Foundation

/// Where the system keeps the authorities it trusts.
struct SystemPlaces: Sendable, Equatable {
  /// PEM, all certificates at once.
  var file: String
  /// Hashed directories (`openssl rehash`), read certificate by certificate as chains need them.
  var directories: [String]
  /// Whether these are OpenSSL's own, so that it looks there by itself.
  private var areOpenSSLs = false

  init(file: String, directories: [String]) {
    self.file = file
    self.directories = directories
  }

  /// OpenSSL's own: as it was built, or SSL_CERT_FILE and SSL_CERT_DIR, which do not count in a process with more rights than its
  /// user.
  static let openSSL: SystemPlaces = {
    var places = SystemPlaces(
      file: named(X509_get_default_cert_file_env()) ?? String(cString: X509_get_default_cert_file()),
      directories: (named(X509_get_default_cert_dir_env()) ?? String(cString: X509_get_default_cert_dir()))
        .split(separator: ":").map(String.init))
    places.areOpenSSLs = true
    return places
  }()

  private static func named(_ variable: UnsafePointer<CChar>?) -> String? {
    variable.flatMap { af_secure_getenv($0) }.map { String(cString: $0) }
  }

  private static var areNamedByEnvironment: Bool {
    named(X509_get_default_cert_file_env()) != nil || named(X509_get_default_cert_dir_env()) != nil
  }

  /// Adds what is there. OpenSSL's lookup is its own: file, hashed directories and links, exactly as its command has them.
  func add(to store: OpaquePointer) {
    guard areOpenSSLs else {
      X509_STORE_load_file(store, file)
      for directory in directories { X509_STORE_load_path(store, directory) }
      return
    }
    X509_STORE_set_default_paths(store)
    guard !Self.areNamedByEnvironment, !holdSomething, let bundle = Self.knownBundle else { return }
    X509_STORE_load_file(store, bundle)
  }

  /// The file of a distribution whose OpenSSL is not built to look there.
  private static var knownBundle: String? {
    [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
      "/etc/ssl/ca-bundle.pem",
    ].first { access($0, R_OK) == 0 }
  }

  /// Whether there is a file, or a directory with anything that `openssl rehash` would have made.
  private var holdSomething: Bool {
    access(file, R_OK) == 0 || directories.contains(where: Self.isHashed)
  }

  private static func isHashed(_ directory: String) -> Bool {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return false }
    return names.contains { name in
      name.utf8.count > 9 && name.prefix(8).allSatisfy(\.isHexDigit) && name.dropFirst(8).first == "."
    }
  }

  /// What tells that something has changed on disk.
  struct Stamp: Sendable, Equatable {
    private struct Entry: Sendable, Equatable {
      var device: UInt
      var number: UInt
      var size: Int
      var seconds: Int
      var nanoseconds: Int
    }

    private var entries: [Entry?]

    fileprivate init(_ paths: [String]) {
      entries = paths.map { path in
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Entry(
          device: UInt(status.st_dev), number: UInt(status.st_ino), size: Int(status.st_size),
          seconds: Int(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
      }
    }
  }

  /// The stamp of this moment: one `stat` for each place, links followed.
  var stamp: Stamp { Stamp([file] + directories) }
}
