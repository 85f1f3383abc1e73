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
/// thread; storing, removing and recalling only one at a time, which ``ResponseCache`` sees to.
///
/// Where a URL has several responses, for requests that differ in what they depend on, one stands under the URL itself and lists the
/// others, which stand under keys of their own. What is not listed is not found, so removing that one removes them all.
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

  /// Whether a body of this size is held in memory, or could be.
  func memoryHolds(_ size: Int) -> Bool { size <= cache.memoryCapacity / 20 && cache.memoryCapacity > 0 }

  // MARK: Reading

  /// What is kept for a request of `url` with these fields.
  ///
  /// Unless the search is `thorough`, what others have put into memory alone may be missed where there is a disk part.
  func find(_ url: String, _ sent: SentFields, thorough: Bool) -> CacheFinding {
    guard let main = findMain(url, thorough: thorough) else { return .nothing }
    let first = main.response.answers(sent) ? main : nil
    var found = first.map { [$0] } ?? []
    for selector in main.response.variants.selectors(for: sent) {
      if let variant = findVariant(selector, url), variant.response.answers(sent) { found.append(variant) }
    }
    // The most recent counts (RFC 9111 §4.1).
    guard let newest = found.max(by: { $0.response.moment < $1.response.moment }) else { return .forOthers }
    return .found(newest.response, recalling: newest.isOnDisk ? newest.key : nil)
  }

  private struct Found {
    let response: StoredResponse
    let key: CacheKey?
    var isOnDisk = false
  }

  /// What stands under the URL itself.
  private func findMain(_ url: String, thorough: Bool) -> Found? {
    guard isFoundations else {
      guard let url = URL(string: url), let found = cache.cachedResponse(for: URLRequest(url: url)) else { return nil }
      return found.isFor(url.absoluteString) ? Found(response: StoredResponse(found), key: nil) : nil
    }
    // Each key is asked once: `lazy.compactMap` calls its closure twice for what it found, and another task may remove it between.
    for key in CacheKey.all(for: url) {
      if let found = find(key, url, thorough: thorough) { return found }
    }
    return nil
  }

  private func findVariant(_ selector: String, _ url: String) -> Found? {
    guard isFoundations, let key = CacheKey.variant(selector, for: url) else { return nil }
    return find(key, url, thorough: false)
  }

  private func find(_ key: CacheKey, _ url: String, thorough: Bool) -> Found? {
    let hasDisk = cache.diskCapacity > 0
    guard thorough || mayHold(key, hasDisk) else { return nil }
    guard let found = cache.cachedResponse(for: key.request) else {
      _ = remembered.withLock { $0.remove(key.identifier) }
      return nil
    }
    guard found.isFor(url) else { return nil }
    // What is in memory is one object; what is on the disk becomes a new one each time.
    let isInMemory = cache.cachedResponse(for: key.request) === found
    if isInMemory { remember(key) }
    guard isInMemory || hasDisk else { return nil }
    return Found(response: StoredResponse(found), key: key, isOnDisk: !isInMemory)
  }

  private func mayHold(_ key: CacheKey, _ hasDisk: Bool) -> Bool {
    guard hasDisk, let files else { return true }
    return remembered.withLock { $0.contains(key.identifier) } || files.contains(key.identifier)
  }

  // MARK: Changing

  /// Takes into memory what a lookup found on the disk.
  func recall(_ key: CacheKey, _ url: String) {
    guard let found = cache.cachedResponse(for: key.request), found.isFor(url) else { return }
    // Stored twice in memory it would be a trap; see above.
    if cache.cachedResponse(for: key.request) !== found { cache.storeCachedResponse(found.recalled, for: key.request) }
    remember(key)
  }

  /// Keeps a response in the place of the one that there was for the same requests, and of `old`.
  func store(_ new: StoredResponse, for url: String, replacing old: String? = nil) {
    guard isFoundations else {
      guard let url = URL(string: url) else { return }
      return cache.storeCachedResponse(new.noted, for: URLRequest(url: url))
    }
    guard let key = CacheKey.all(for: url).first else { return }
    guard let main = findMain(url, thorough: false)?.response, let own = main.selector, let variant = new.variant else {
      return put(new, key)
    }
    var variants = main.variants
    if let old, old != own, old != variant.selector {
      variants.remove(old)
      dropVariant(old, url)
    }
    guard own != variant.selector, own != old else {
      variants.remove(variant.selector)
      return put(new.with(variants), key)
    }
    guard let place = CacheKey.variant(variant.selector, for: url) else { return }
    if let displaced = variants.insert(variant) { dropVariant(displaced, url) }
    put(new, place)
    if variants != main.variants { put(main.with(variants), key) }
  }

  private func put(_ response: StoredResponse, _ key: CacheKey) {
    cache.removeCachedResponse(for: key.request)
    cache.storeCachedResponse(response.noted, for: key.request)
    remember(key)
  }

  /// Drops what is kept for a URL, for whatever requests.
  func remove(_ url: String) {
    guard isFoundations else {
      guard let url = URL(string: url) else { return }
      return cache.removeCachedResponse(for: URLRequest(url: url))
    }
    let hasDisk = cache.diskCapacity > 0
    for key in CacheKey.all(for: url) where mayHold(key, hasDisk) {
      guard let kept = cache.cachedResponse(for: key.request), kept.isFor(url) else { continue }
      for variant in StoredResponse(kept).variants.all { dropVariant(variant.selector, url) }
      cache.removeCachedResponse(for: key.request)
    }
  }

  /// Drops what is kept for a URL and requests that this selects; nil for what the app put there by hand.
  func remove(_ url: String, _ selector: String?) {
    guard isFoundations, let main = findMain(url, thorough: false)?.response,
      main.selector != selector || !main.variants.all.isEmpty
    else { return remove(url) }
    guard let selector else { return remove(url) }
    var variants = main.variants
    variants.remove(selector)
    guard let key = CacheKey.all(for: url).first else { return }
    guard main.selector == selector else {
      dropVariant(selector, url)
      if variants != main.variants { put(main.with(variants), key) }
      return
    }
    // Another takes its place under the URL.
    while let next = variants.all.last {
      variants.remove(next.selector)
      let heir = findVariant(next.selector, url)?.response
      dropVariant(next.selector, url)
      if let heir { return put(heir.with(variants), key) }
    }
    remove(url)
  }

  private func dropVariant(_ selector: String, _ url: String) {
    guard let key = CacheKey.variant(selector, for: url) else { return }
    cache.removeCachedResponse(for: key.request)
  }

  private func remember(_ key: CacheKey) {
    remembered.withLock { identifiers in
      if identifiers.count >= Self.rememberedLimit { identifiers = [] }
      identifiers.insert(key.identifier)
    }
  }
}

/// What a store has for a request.
enum CacheFinding: Sendable {
  /// Nothing for the URL.
  case nothing
  /// Nothing for the request, but for others of its URL.
  case forOthers
  /// This; a key means that it was read from the disk, and is worth taking into memory.
  case found(StoredResponse, recalling: CacheKey?)
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

  init(_ path: String) { self.path = path }

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
