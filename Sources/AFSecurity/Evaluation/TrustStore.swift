import AFSupport
import COpenSSL
import Foundation

/// The anchors of a policy: one `X509_STORE`, made when first needed, and again when the system's authorities change on disk.
///
/// Unchecked because the compiler cannot know that an `X509_STORE` guards itself: OpenSSL shares one between the connections
/// of an `SSL_CTX` in the same way.
final class TrustStore: @unchecked Sendable {
  private struct State {
    var pointer: OpaquePointer?
    var validPaths = ValidPaths()
    /// Counts the stores that were made.
    var edition = 0
    var stamp: SystemPlaces.Stamp?
    var lookedAt = MonotonicTime(nanoseconds: 0)
  }

  private let state = Locked(State())
  private let anchors: [X509Handle]
  /// Nil if the system's authorities do not count.
  private let places: SystemPlaces?
  /// How often it is looked whether something has changed on disk, in seconds.
  private let interval: Double

  /// The system's authorities. Loaded once per process, whoever asks.
  static let system = TrustStore(anchors: [], includesSystem: true)

  convenience init(anchors: [X509Handle], includesSystem: Bool) {
    self.init(anchors: anchors, places: includesSystem ? .openSSL : nil)
  }

  init(anchors: [X509Handle], places: SystemPlaces?, interval: Double = 1) {
    self.anchors = anchors
    self.places = places
    self.interval = interval
  }

  deinit { state.withLock { X509_STORE_free($0.pointer) } }

  /// Runs `body` with the store and its edition.
  func withStore<Result>(_ body: (OpaquePointer?, _ edition: Int) -> Result) -> Result {
    refresh()
    // The lock covers the making, not the use.
    let (address, edition) = state.withLock { state -> (Int, Int) in
      if state.pointer == nil {
        state.pointer = make()
        state.edition += 1
      }
      if let store = state.pointer { X509_STORE_up_ref(store) }
      return (Int(bitPattern: state.pointer), state.edition)
    }
    let store = OpaquePointer(bitPattern: address)
    defer { X509_STORE_free(store) }
    return body(store, edition)
  }

  /// The path to these anchors that was found for the same chain before, if every certificate on it is valid at `date`.
  func validPath(of presented: [X509Handle], at date: Date?) -> [X509Handle]? {
    refresh()
    guard let path = state.withLock({ $0.validPaths.path(of: presented) }) else { return nil }
    return ValidPaths.isCurrent(path, at: date) ? path : nil
  }

  /// Takes note of a path that OpenSSL found valid with the store of an edition.
  func remember(_ path: [X509Handle], of presented: [X509Handle], edition: Int) {
    state.withLock { state in
      if state.edition == edition { state.validPaths.insert(path, of: presented) }
    }
  }

  /// Forgets the store, and all paths, if something has changed where it came from.
  private func refresh() {
    guard let places else { return }
    let now = MonotonicTime.now
    let isDue = state.withLock { state -> Bool in
      guard now - state.lookedAt >= interval else { return false }
      state.lookedAt = now
      return true
    }
    guard isDue else { return }
    let stamp = places.stamp
    let old = state.withLock { state -> (Int, ValidPaths) in
      defer { state.stamp = stamp }
      guard let last = state.stamp, last != stamp else { return (0, ValidPaths()) }
      defer {
        state.pointer = nil
        state.validPaths = ValidPaths()
        state.edition += 1
      }
      return (Int(bitPattern: state.pointer), state.validPaths)
    }
    X509_STORE_free(OpaquePointer(bitPattern: old.0))
  }

  private func make() -> OpaquePointer? {
    af_OPENSSL_outlive_threads()
    guard let store = X509_STORE_new() else { return nil }
    for anchor in anchors { X509_STORE_add_cert(store, anchor.pointer) }
    places?.add(to: store)
    // An anchor is an anchor, also when it is an intermediate or a leaf.
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    ERR_clear_error()
    return store
  }
}
