import AFSupport
import COpenSSL
import Foundation

/// The anchors of a policy: one `X509_STORE`, made when first needed and then kept.
///
/// Unchecked because the compiler cannot know that an `X509_STORE` guards itself: OpenSSL shares one between the connections
/// of an `SSL_CTX` in the same way.
final class TrustStore: @unchecked Sendable {
  private let pointer: Locked<OpaquePointer?>
  private let validPaths = Locked(ValidPaths())
  private let anchors: [X509Handle]
  private let includesSystem: Bool

  /// The system's authorities. Loaded once per process, whoever asks; the environment's SSL_CERT_FILE and SSL_CERT_DIR count.
  static let system = TrustStore(anchors: [], includesSystem: true)

  init(anchors: [X509Handle], includesSystem: Bool) {
    pointer = Locked(nil)
    self.anchors = anchors
    self.includesSystem = includesSystem
  }

  deinit { pointer.withLock { X509_STORE_free($0) } }

  /// Runs `body` with the store.
  func withStore<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    // The lock covers the making, not the use.
    let address = pointer.withLock { store -> Int in
      if store == nil { store = make() }
      return Int(bitPattern: store)
    }
    return body(OpaquePointer(bitPattern: address))
  }

  /// The path to these anchors that was found for the same chain before, if every certificate on it is valid at `date`.
  func validPath(of presented: [X509Handle], at date: Date?) -> [X509Handle]? {
    guard let path = validPaths.withLock({ $0.path(of: presented) }) else { return nil }
    return ValidPaths.isCurrent(path, at: date) ? path : nil
  }

  /// Takes note of a path that OpenSSL found valid.
  func remember(_ path: [X509Handle], of presented: [X509Handle]) {
    validPaths.withLock { $0.insert(path, of: presented) }
  }

  private func make() -> OpaquePointer? {
    af_OPENSSL_outlive_threads()
    guard let store = X509_STORE_new() else { return nil }
    for anchor in anchors { X509_STORE_add_cert(store, anchor.pointer) }
    if includesSystem { SystemAnchors.add(to: store) }
    // An anchor is an anchor, also when it is an intermediate or a leaf.
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    ERR_clear_error()
    return store
  }
}

/// Where the system keeps the authorities it trusts.
enum SystemAnchors {
  /// Files of distributions whose OpenSSL is not built to look there.
  private static let knownBundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
  ]

  /// Adds OpenSSL's own places, or the first known bundle when there is nothing in them.
  ///
  /// A hashed directory is read certificate by certificate as chains need them, so a process that talks to one server parses
  /// one root and not 140.
  static func add(to store: OpaquePointer) {
    let environment = ProcessInfo.processInfo.environment
    let file = environment["SSL_CERT_FILE"] ?? String(cString: X509_get_default_cert_file())
    let directory = environment["SSL_CERT_DIR"] ?? String(cString: X509_get_default_cert_dir())
    var found = false
    if FileManager.default.isReadableFile(atPath: file) { found = X509_STORE_load_file(store, file) == 1 }
    for part in directory.split(separator: ":").map(String.init) where isFilledDirectory(part) {
      found = X509_STORE_load_path(store, part) == 1 || found
    }
    guard !found, let bundle = knownBundles.first(where: FileManager.default.isReadableFile(atPath:)) else { return }
    X509_STORE_load_file(store, bundle)
  }

  private static func isFilledDirectory(_ path: String) -> Bool {
    FileManager.default.enumerator(atPath: path)?.nextObject() != nil
  }
}
