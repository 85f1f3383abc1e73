import AFTransport
import Foundation
import FoundationNetworking

/// A response out of a `URLCache`, with what was noted when it was put there.
///
/// A class, so that a task without one has room for a reference only.
final class StoredResponse: Sendable {
  let cached: CachedURLResponse
  let rules: CacheRules
  /// What the request was that it answered, as far as that matters; nil if the app put it there by hand.
  let selector: String?
  /// The others for its URL.
  let variants: CacheVariants

  /// The keys of `userInfo` under which the notes are kept.
  fileprivate enum Note {
    static let requested = "AFCacheRequested"
    static let received = "AFCacheReceived"
    static let selector = "AFCacheSelector"
    static let variants = "AFCacheVariants"
    static let isOnDisk = "AFCacheIsOnDisk"
  }

  init(_ cached: CachedURLResponse) {
    // What was taken into memory stands on the disk as well: when it is stored again, it is for both.
    self.cached = cached.userInfo?[Note.isOnDisk] == nil ? cached : cached.with(.allowed)
    func moment(_ key: String) -> Double? { (cached.userInfo?[key] as? NSNumber)?.doubleValue }
    rules = CacheRules(
      ResponseHead(cached.response), requested: moment(Note.requested), received: moment(Note.received))
    selector = cached.userInfo?[Note.selector] as? String
    variants = CacheVariants(text: cached.userInfo?[Note.variants] as? String ?? "")
  }

  init(_ cached: CachedURLResponse, _ rules: CacheRules, selector: String?, variants: CacheVariants = CacheVariants()) {
    self.cached = cached
    self.rules = rules
    self.selector = selector
    self.variants = variants
  }

  /// Whether it may answer a request with these fields. What the app put into the cache by hand says nothing of its request, and is
  /// taken unless it varies.
  func answers(_ sent: SentFields) -> Bool {
    guard let variance = rules.variance else { return false }
    guard let selector else { return variance.isPlain }
    return selector == variance.selector(sent)
  }

  /// What it is in the list of those for its URL; nil if the app put it there by hand.
  var variant: CacheVariants.Variant? {
    guard let selector, let variance = rules.variance else { return nil }
    return CacheVariants.Variant(variance: variance, selector: selector)
  }

  /// When it came, as far as that is known.
  var moment: Double { rules.received ?? -.infinity }

  /// The same, with a list of the others.
  func with(_ variants: CacheVariants) -> StoredResponse {
    StoredResponse(cached, rules, selector: selector, variants: variants)
  }

  /// The response after a 304 has confirmed it for a request with these fields.
  func refreshed(by answer: ResponseHead, requested: Double, received: Double, _ sent: SentFields) -> StoredResponse? {
    let head = rules.head.refreshed(by: answer).kept(received: received)
    let rules = CacheRules(head, requested: requested, received: received)
    guard let url = cached.response.url?.absoluteString, let response = HTTPURLResponse(head, url: url) else {
      return nil
    }
    let copy = CachedURLResponse(
      response: response, data: cached.data, userInfo: cached.userInfo, storagePolicy: cached.storagePolicy)
    // The 304 may name other fields in its `Vary`, and is about this request.
    return StoredResponse(copy, rules, selector: rules.variance?.selector(sent))
  }

  /// The same, for memory alone.
  var inMemoryOnly: StoredResponse {
    StoredResponse(cached.with(.allowedInMemoryOnly), rules, selector: selector, variants: variants)
  }

  /// What is put into the cache: the response with the notes.
  var noted: CachedURLResponse {
    var info = cached.userInfo ?? [:]
    info[Note.requested] = rules.requested
    info[Note.received] = rules.received
    info[Note.selector] = selector
    info[Note.isOnDisk] = nil
    info[Note.variants] = variants.all.isEmpty ? nil : variants.text
    return CachedURLResponse(
      response: cached.response, data: cached.data, userInfo: info, storagePolicy: cached.storagePolicy)
  }
}

extension CachedURLResponse {
  /// The same, by another storage policy.
  fileprivate func with(_ policy: URLCache.StoragePolicy) -> CachedURLResponse {
    CachedURLResponse(response: response, data: data, userInfo: userInfo, storagePolicy: policy)
  }

  /// The same, to be taken into memory beside the file out of which it came.
  var recalled: CachedURLResponse {
    var info = userInfo ?? [:]
    info[StoredResponse.Note.isOnDisk] = true
    return CachedURLResponse(response: response, data: data, userInfo: info, storagePolicy: .allowedInMemoryOnly)
  }
}
