import AFSupport
import Foundation
import FoundationNetworking

/// Foundation's storage as the face of a jar: what it shows that the jar does not know, and the other way round.
///
/// Foundation says nothing when its storage changes, so the array of its cookies is compared with that of the last look.
///
/// Unchecked because it is touched on one queue alone, its jar's.
final class CookieFace: @unchecked Sendable {
  /// What a look has found.
  struct News {
    /// Cookies that the app has put there, or that the archive held.
    var put: [Cookie] = []
    /// Cookies that are no longer there.
    var gone: [Cookie] = []

    var isEmpty: Bool { put.isEmpty && gone.isEmpty }
  }

  private let storage: HTTPCookieStorage

  private struct Known {
    var object: HTTPCookie
    /// Nil if it is one that cannot be sent.
    var cookie: Cookie?
  }

  /// What the storage is known to hold, by Foundation's key, and what it was at the last look.
  private var known: [String: Known] = [:]
  private var keys: [ObjectIdentifier: String] = [:]
  private var shown: [HTTPCookie] = []
  /// Whether the storage has been written to since, so that it cannot be compared with ``shown``.
  private var isWritten = false

  /// How many cookies the storage had at the last look.
  var count: Int { shown.count }

  init(_ storage: HTTPCookieStorage) {
    self.storage = storage
  }

  /// Compares the storage with what it held at the last look.
  func look() -> News {
    let now = storage.cookies ?? []
    // A dictionary that nobody has changed lists its values in the same order.
    guard isWritten || now.count != shown.count || !zip(now, shown).allSatisfy({ $0 === $1 }) else { return News() }
    shown = now
    isWritten = false
    var news = News()
    var present: Set<ObjectIdentifier> = []
    for object in now {
      present.insert(ObjectIdentifier(object))
      guard keys[ObjectIdentifier(object)] == nil else { continue }
      let cookie = Cookie(object)
      if let cookie { news.put.append(cookie) }
      note(object, cookie)
    }
    for (identifier, key) in keys where !present.contains(identifier) {
      keys[identifier] = nil
      if let cookie = known.removeValue(forKey: key)?.cookie { news.gone.append(cookie) }
    }
    return news
  }

  private func note(_ object: HTTPCookie, _ cookie: Cookie?) {
    let key = object.storageKey
    if let old = known[key] { keys[ObjectIdentifier(old.object)] = nil }
    known[key] = Known(object: object, cookie: cookie)
    keys[ObjectIdentifier(object)] = key
  }

  /// Has the storage show a cookie. It writes its file meanwhile.
  func show(_ cookie: Cookie) {
    guard let object = HTTPCookie(cookie), known[object.storageKey]?.cookie != cookie else { return }
    isWritten = true
    storage.setCookie(object)
    note(object, cookie)
  }

  /// Has the storage show a cookie no more.
  func hide(_ cookie: Cookie) {
    guard let object = HTTPCookie(cookie), let old = known[object.storageKey], old.cookie?.isSame(as: cookie) == true
    else {
      return
    }
    known[object.storageKey] = nil
    keys[ObjectIdentifier(old.object)] = nil
    isWritten = true
    storage.deleteCookie(old.object)
  }
}
