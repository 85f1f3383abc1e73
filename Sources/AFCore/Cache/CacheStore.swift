import AFSupport
import Foundation
import FoundationNetworking
import Glibc

/// A `URLCache` as a store that can be relied on. What Foundation's does on Linux (seen with Swift 6.3), and what is done about it:
///
/// - It confuses URLs; see ``CacheKey``. What it finds is compared with what was asked for.
/// - A response that was stored twice and is displaced twice from memory stops the program. Each is removed before it is stored
///   again, and only one is stored at a time.
/// - For each miss it lists its whole directory: 7 ms at 1,000 entries. The names of the files are known here.
/// - A cache without a disk part reads the disk part of others, since its directory is the same. Without a disk part, only
///   what is in memory counts.
/// - What it finds on the disk it does not take into memory, and reads it again each time. It is taken into memory here.
///
/// A subclass is somebody's own store: it is asked with the requests as they are. Lookups may run on any
/// thread; ``store(_:for:)``, ``remove(_:)`` and ``recall(_:)`` only one at a time, which ``ResponseCache`` sees to.
final class CacheStore: Sendable {
  let cache: URLCache
  private let isFoundations: Bool
  private let files: DirectoryNames?
  /// Identifiers of what is known to be in memory, at some time at least.
  private let remembered = Locked<Set<String>>([])

  private static let rememberedLimit = 10_000

  init(_ cache: URLCache) {
    self.cache = cache
    isFoundations = type(of: cache) == URLCache.self
    // There is no other way to learn the directory of `URLCache.shared`, or of a cache made without a path.
    let directory = Mirror(reflecting: cache).children.first { $0.label == "cacheDirectory" }?.value as? URL
    files = isFoundations ? directory.map { DirectoryNames($0.path) } : nil
  }

  /// The largest body that is kept: a twentieth of the cache, as Foundation documents it.
  var sizeLimit: Int { max(cache.memoryCapacity, cache.diskCapacity) / 20 }

  /// What is kept for a URL, and whether it came from the disk.
  ///
  /// Unless the search is `thorough`, what others have put into memory alone may be missed where there is a disk part.
  func find(_ url: String, thorough: Bool) -> (response: CachedURLResponse, isOnDisk: Bool)? {
    guard isFoundations else {
      guard let url = URL(string: url), let found = cache.cachedResponse(for: URLRequest(url: url)) else { return nil }
      return found.isFor(url.absoluteString) ? (found, false) : nil
    }
    let hasDisk = cache.diskCapacity > 0
    for key in CacheKey.all(for: url) where thorough || mayHold(key, hasDisk) {
      guard let found = cache.cachedResponse(for: key.request) else {
        _ = remembered.withLock { $0.remove(key.identifier) }
        continue
      }
      guard found.isFor(url) else { continue }
      // What is in memory is one object; what is on the disk becomes a new one each time.
      let isInMemory = cache.cachedResponse(for: key.request) === found
      if isInMemory { remember(key) }
      if isInMemory || hasDisk { return (found, !isInMemory) }
    }
    return nil
  }

  private func mayHold(_ key: CacheKey, _ hasDisk: Bool) -> Bool {
    guard hasDisk, let files else { return true }
    return remembered.withLock { $0.contains(key.identifier) } || files.contains(key.identifier)
  }

  /// Takes into memory what a lookup found on the disk.
  func recall(_ url: String) {
    for key in CacheKey.all(for: url) {
      guard let found = cache.cachedResponse(for: key.request), found.isFor(url) else { continue }
      // Stored twice in memory it would be a trap; see above.
      if cache.cachedResponse(for: key.request) !== found {
        cache.storeCachedResponse(found.inMemoryOnly, for: key.request)
      }
      return remember(key)
    }
  }

  /// Keeps a response in the place of the one that there was.
  func store(_ response: CachedURLResponse, for url: String) {
    guard isFoundations else {
      guard let url = URL(string: url) else { return }
      return cache.storeCachedResponse(response, for: URLRequest(url: url))
    }
    guard let key = CacheKey.all(for: url).first else { return }
    cache.removeCachedResponse(for: key.request)
    cache.storeCachedResponse(response, for: key.request)
    remember(key)
  }

  /// Drops what is kept for a URL.
  func remove(_ url: String) {
    guard isFoundations else {
      guard let url = URL(string: url) else { return }
      return cache.removeCachedResponse(for: URLRequest(url: url))
    }
    let hasDisk = cache.diskCapacity > 0
    for key in CacheKey.all(for: url) where mayHold(key, hasDisk) {
      guard cache.cachedResponse(for: key.request)?.isFor(url) == true else { continue }
      cache.removeCachedResponse(for: key.request)
    }
  }

  private func remember(_ key: CacheKey) {
    remembered.withLock { identifiers in
      if identifiers.count >= Self.rememberedLimit { identifiers = [] }
      identifiers.insert(key.identifier)
    }
  }
}

extension CachedURLResponse {
  /// Whether the response is the answer of `url` and of no other that shares its key.
  fileprivate func isFor(_ url: String) -> Bool { response.url?.absoluteString.withoutFragment == url }
}

/// Which entries have a file in the directory of a `URLCache`; listed again when the directory has changed.
private final class DirectoryNames: Sendable {
  private struct Listing {
    var changed: timespec?
    var identifiers: Set<String> = []
  }

  private let path: String
  private let listing = Locked(Listing())

  init(_ path: String) {
    self.path = path
  }

  func contains(_ identifier: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let changed = status.st_mtim
    let known = listing.withLock { listing -> Bool? in
      guard let last = listing.changed, last.tv_sec == changed.tv_sec, last.tv_nsec == changed.tv_nsec else {
        return nil
      }
      return listing.identifiers.contains(identifier)
    }
    if let known { return known }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // Names are "seconds.identifier.storedcachedurlresponse".
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let identifiers = Set(
      names.compactMap { name in
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : nil
      })
    // What changes within the clock's tick after the listing would go unnoticed.
    let isSettled = now.tv_sec - changed.tv_sec > 1
    listing.withLock { $0 = Listing(changed: isSettled ? changed : nil, identifiers: identifiers) }
    return identifiers.contains(identifier)
  }
}
