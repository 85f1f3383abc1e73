import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

/// The responses that one `URLCache` keeps, for all sessions that use it.
///
/// Looking one up may read the disk, so it never happens on a thread that must not wait. URLs for which nothing is kept are remembered for
/// a second, so that requests whose responses are not kept cost no more than without a cache.
final class ResponseCache: Sendable {
  private let store: CacheStore
  /// Lookups run beside each other and beside the changes, which Foundation makes slowly, one after another.
  private let lookups = DispatchQueue(label: "af.cache.lookups", attributes: .concurrent)
  private let changes = DispatchQueue(label: "af.cache.changes")
  private let state = Locked(State())

  private struct State {
    /// Until when nothing is assumed to be kept for a URL.
    var absences: [String: MonotonicTime] = [:]
    /// How many changes wait for their turn, by URL.
    var waiting: [String: Int] = [:]
    var waitingStores = 0
  }

  private static let absenceLimit = 4096
  private static let absenceDuration = 1.0
  /// Foundation looks at every file of its directory for each file that it adds. Where responses come faster than that goes, those over
  /// this number are kept in memory only.
  private static let waitingStoreLimit = 16

  init(_ cache: URLCache) {
    store = CacheStore(cache)
  }

  // MARK: Reading

  /// Whether a moment ago nothing was kept for the URL.
  func isKnownToLack(_ url: String) -> Bool {
    state.withLock { state in
      guard let end = state.absences[url] else { return false }
      return .now < end
    }
  }

  /// Looks for what is kept for a request of a URL. `thorough`: as far as Foundation can tell, at any cost.
  func find(
    _ url: String, _ sent: SentFields, thorough: Bool, _ answer: @escaping @Sendable (StoredResponse?) -> Void
  ) {
    // Who has changed something sees it.
    let isChanging = state.withLock { $0.waiting[url] != nil }
    (isChanging ? changes : lookups).async { [self] in
      switch store.find(url, sent, thorough: thorough) {
      case .nothing:
        noteAbsence(url)
        answer(nil)
      case .forOthers: answer(nil)
      case .found(let found, let key):
        if let key { changes.async { self.store.recall(key, url) } }
        answer(found)
      }
    }
  }

  private func noteAbsence(_ url: String) {
    state.withLock { state in
      guard state.waiting[url] == nil else { return }
      if state.absences.count >= Self.absenceLimit { state.absences = [:] }
      state.absences[url] = .now + Self.absenceDuration
    }
  }

  // MARK: Writing

  /// Runs `work` where it may wait, with the size of the largest body that is kept.
  func prepare(_ work: @escaping @Sendable (_ sizeLimit: Int) -> Void) {
    lookups.async { [self] in work(store.sizeLimit) }
  }

  /// Keeps a response, in the place of the one that `old` selects. Whoever looks for it from now on finds it.
  func keep(_ response: StoredResponse, for url: String, replacing old: String? = nil) {
    keep(for: url, replacing: old) { _ in response }
  }

  /// Keeps what `make` makes, where it may take its time, out of the size of the largest body that is kept. If that is nothing, what there
  /// was is out of date all the same.
  func keep(
    for url: String, replacing old: String? = nil, _ make: @escaping @Sendable (_ sizeLimit: Int) -> StoredResponse?
  ) {
    let isCrowded = state.withLock { state in
      state.absences[url] = nil
      state.waitingStores += 1
      return state.waitingStores > Self.waitingStoreLimit
    }
    change(url) { [self] in
      if let response = make(store.sizeLimit) {
        store.store(isCrowded ? response.inMemoryOnly : response, for: url, replacing: old)
      } else {
        store.remove(url)
      }
      state.withLock { $0.waitingStores -= 1 }
    }
  }

  /// Drops what is kept for a URL, for whatever requests.
  func remove(_ url: String) {
    guard !isKnownToLack(url) else { return }
    change(url) { [self] in store.remove(url) }
  }

  /// Drops what is kept for a URL and the requests that this selects.
  func remove(_ url: String, _ selector: String?) {
    guard !isKnownToLack(url) else { return }
    change(url) { [self] in store.remove(url, selector) }
  }

  private func change(_ url: String, _ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.waiting[url, default: 0] += 1 }
    changes.async { [self] in
      work()
      state.withLock { state in
        let rest = (state.waiting[url] ?? 1) - 1
        state.waiting[url] = rest > 0 ? rest : nil
      }
    }
  }

  // MARK: One for each URLCache

  private struct Entry {
    weak var cache: ResponseCache?
  }

  private static let caches = Locked<[ObjectIdentifier: Entry]>([:])

  /// The one of `cache`, which is the same for all sessions.
  static func of(_ cache: URLCache) -> ResponseCache {
    // Made first: nothing is called while the lock is held.
    let new = ResponseCache(cache)
    return caches.withLock { caches in
      if let known = caches[ObjectIdentifier(cache)]?.cache { return known }
      caches = caches.filter { $0.value.cache != nil }
      caches[ObjectIdentifier(cache)] = Entry(cache: new)
      return new
    }
  }
}

extension CachedURLResponse {
  /// The same, for memory alone.
  var inMemoryOnly: CachedURLResponse {
    CachedURLResponse(response: response, data: data, userInfo: userInfo, storagePolicy: .allowedInMemoryOnly)
  }
}
