import AFSecurity
import AFTransport
import Foundation
import FoundationNetworking

/// A response out of a `URLCache`, with what was noted when it was put there.
///
/// A class, so that a task without one has room for a reference only.
final class StoredResponse: Sendable {
  let cached: CachedURLResponse
  let rules: CacheRules
  /// What the request was that it answered, as far as that matters; nil if somebody else put it there.
  let selector: String?

  /// The keys of `userInfo` under which the notes are kept.
  private enum Note {
    static let requested = "AFCacheRequested"
    static let received = "AFCacheReceived"
    static let selector = "AFCacheSelector"
  }

  init(_ cached: CachedURLResponse) {
    self.cached = cached
    func moment(_ key: String) -> Double? { (cached.userInfo?[key] as? NSNumber)?.doubleValue }
    rules = CacheRules(
      ResponseHead(cached.response), requested: moment(Note.requested), received: moment(Note.received))
    selector = cached.userInfo?[Note.selector] as? String
  }

  init(_ cached: CachedURLResponse, _ rules: CacheRules, selector: String?) {
    self.cached = cached
    self.rules = rules
    self.selector = selector
  }

  /// Whether it may answer a request with these fields. What others have put into the cache says nothing of its request, and is
  /// taken unless it varies.
  func answers(_ fields: [TransferRequest.HeaderField]) -> Bool {
    guard let names = CacheRules.varying(rules.head) else { return false }
    guard let selector else { return names.isEmpty }
    return selector == Self.selector(names, fields)
  }

  /// The response after a 304 has confirmed it.
  func refreshed(by answer: ResponseHead, requested: Double, received: Double) -> StoredResponse? {
    let head = rules.head.refreshed(by: answer).kept(received: received)
    guard let url = cached.response.url?.absoluteString, let response = HTTPURLResponse(head, url: url) else {
      return nil
    }
    let copy = CachedURLResponse(
      response: response, data: cached.data, userInfo: cached.userInfo, storagePolicy: cached.storagePolicy)
    return StoredResponse(copy, CacheRules(head, requested: requested, received: received), selector: selector)
  }

  /// What is put into the cache: the response with the notes.
  var noted: CachedURLResponse {
    var info = cached.userInfo ?? [:]
    info[Note.requested] = rules.requested
    info[Note.received] = rules.received
    info[Note.selector] = selector
    return CachedURLResponse(
      response: cached.response, data: cached.data, userInfo: info, storagePolicy: cached.storagePolicy)
  }

  /// A digest of the request's fields that `Vary` names (RFC 9111 §4.1), and of its Authorization in any case: what one user of a
  /// program got is never given to another. A digest, because these fields hold secrets and the cache is a file.
  static func selector(_ names: [String], _ fields: [TransferRequest.HeaderField]) -> String {
    var text = ""
    for name in Set(names + ["authorization"]).sorted() {
      let values = fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value.trimmed)
      text += values.isEmpty ? "\(name)\n" : "\(name): \(values.joined(separator: ", "))\n"
    }
    return Digest.sha256(text)
  }
}
