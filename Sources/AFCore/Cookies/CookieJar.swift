import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

/// The cookies of one `HTTPCookieStorage`, for all sessions that use it.
///
/// What is sent and kept is decided here, by RFC 6265bis; the storage is the face that the app sees, and what keeps cookies for
/// the next process. It is looked at before a task starts, on the thread that starts it, and told of servers' cookies on a queue: it writes its
/// file for each of them. The engine's thread does neither.
final class CookieJar: Sendable {
  fileprivate struct State {
    var table = CookieTable()
    /// The cookies whose place in the face has to change, in that order, and the number of the last change.
    var changes: [Cookie] = []
    var lastChange = 0
    /// The number of the last change that the face shows.
    var shown = 0
    var isShowing = false
    /// Cookies of which only the times have changed. The face is told of them a little later, of many at once.
    var refreshed: [Cookie] = []
    var waiting: [(number: Int, work: @Sendable () -> Void)] = []
    /// When the storage is to be looked at again; nil: before every task.
    var nextLook: MonotonicTime?
  }

  private let storage: HTTPCookieStorage
  private let face: CookieFace
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "af.cookies")
  /// Where those go on that waited for the face. They may look at it, so it is not ``queue``.
  private let waiters = DispatchQueue(label: "af.cookies.waiters")

  /// A storage with more cookies than this is not looked at before every task, because reading it takes about 30 ns for each.
  static let smallStorage = 256
  /// Seconds between two looks, for each cookie of a larger storage.
  private let lookInterval: Double
  private static let refreshDelay = 1.0
  /// A task waits at its end while no more changes than these are ahead. Foundation takes 10 ms for one, and more with a large file.
  private static let waitLimit = 16

  private let observation = Locked<Observation?>(nil)

  // Unchecked because all that is ever done with it is to give it back.
  private struct Observation: @unchecked Sendable {
    let token: any NSObjectProtocol
  }

  init(_ storage: HTTPCookieStorage, lookInterval: Double = 10e-6) {
    self.storage = storage
    self.lookInterval = lookInterval
    face = CookieFace(storage)
    // The list's file is read now, by the thread that makes the session, and not by the engine's.
    _ = PublicSuffixes.shared
    let observation = Observation(
      token: NotificationCenter.default.addObserver(
        forName: .NSHTTPCookieManagerCookiesChanged, object: storage, queue: nil
      ) { [weak self] _ in self?.lookSoon() })
    self.observation.withLock { $0 = observation }
  }

  deinit {
    if let observation = observation.withLock({ $0 }) {
      NotificationCenter.default.removeObserver(observation.token)
    }
  }

  // MARK: Sending

  var isEmpty: Bool { state.withLock { $0.table.count == 0 } }

  /// The value of the Cookie field of a request, or nil if it has none.
  func field(for url: CookieURL, at now: Double) -> String? {
    let cookies = state.withLock { $0.table.cookies(for: url, at: now) }
    return cookies.isEmpty ? nil : cookies.map(\.pair).joined(separator: "; ")
  }

  // MARK: Keeping

  /// Takes in what a server's Set-Cookie fields say.
  /// - Returns: The number of the last change to wait for with ``whenShown(_:_:)``, or nil.
  func keep(_ fields: [ArraySlice<UInt8>], from url: CookieURL, at now: Double) -> Int? {
    let cookies = fields.compactMap { field in
      try? Cookie(SetCookie(field), from: url, at: now)
    }
    guard !cookies.isEmpty else { return nil }
    let (number, starts, refreshes) = state.withLock { state -> (Int?, Bool, Bool) in
      let (last, hadRefreshed) = (state.lastChange, !state.refreshed.isEmpty)
      for cookie in cookies {
        var evicted: [Cookie] = []
        let change = try? state.table.store(cookie, from: url, at: now) { evicted.append($0) }
        switch change {
        case .stored, .removed: state.note(cookie)
        case .refreshed where !state.refreshed.contains { $0.isSame(as: cookie) }: state.refreshed.append(cookie)
        case .refreshed, .some(.none), nil: break
        }
        for cookie in evicted { state.note(cookie) }
      }
      let isNew = state.lastChange > last
      return (isNew ? state.lastChange : nil, isNew && state.beginShowing(), !hadRefreshed && !state.refreshed.isEmpty)
    }
    if starts { queue.async { self.showNext() } }
    if refreshes { queue.asyncAfter(deadline: .now() + Self.refreshDelay) { self.showRefreshed() } }
    return number
  }

  /// What the storage says of servers' cookies.
  var acceptPolicy: HTTPCookie.AcceptPolicy { storage.cookieAcceptPolicy }

  // MARK: The face

  /// Takes note of what the app has changed in the storage, if it is time. Waits while the storage writes its file, so never on the engine's
  /// thread.
  func look() {
    let isDue = state.withLock { $0.nextLook.map { $0 <= .now } ?? true }
    guard isDue else { return }
    queue.sync {
      let news = face.look()
      let now = Date().timeIntervalSince1970
      let next = face.count > Self.smallStorage ? MonotonicTime.now + Double(face.count) * lookInterval : nil
      state.withLock { state in
        state.nextLook = next
        for cookie in news.gone { state.forget(cookie, at: now) }
        for cookie in news.put where !cookie.isExpired(at: now) { state.table.put(cookie) }
      }
    }
  }

  /// Has the next task look at the storage, however large it is.
  func lookSoon() { state.withLock { $0.nextLook = nil } }

  /// Calls `work` once the face shows the change, or at once if too many others are ahead of it.
  func whenShown(_ number: Int, _ work: @escaping @Sendable () -> Void) {
    let waits = state.withLock { state in
      guard state.shown < number, number - state.shown <= Self.waitLimit else { return false }
      state.waiting.append((number, work))
      return true
    }
    if !waits { work() }
  }

  /// Has the face show one change, and comes back for the next, so that a look can come between.
  private func showNext() {
    let next = state.withLock { state -> (Cookie, Cookie?)? in
      guard !state.changes.isEmpty else {
        state.isShowing = false
        return nil
      }
      let cookie = state.changes.removeFirst()
      return (cookie, state.table.cookie(like: cookie))
    }
    guard let (cookie, current) = next else { return }
    if let current { face.show(current) } else { face.hide(cookie) }
    let ready = state.withLock { state in
      state.shown += 1
      let ready = state.waiting.filter { $0.number <= state.shown }
      state.waiting.removeAll { $0.number <= state.shown }
      return ready
    }
    for waiting in ready { waiters.async(execute: waiting.work) }
    queue.async { self.showNext() }
  }

  private func showRefreshed() {
    let starts = state.withLock { state in
      for cookie in state.refreshed { state.note(cookie) }
      state.refreshed = []
      return state.beginShowing()
    }
    if starts { showNext() }
  }

  // MARK: One for each storage

  private struct Entry {
    weak var jar: CookieJar?
  }

  private static let jars = Locked<[ObjectIdentifier: Entry]>([:])

  /// The jar of `storage`, which is the same for all sessions.
  static func of(_ storage: HTTPCookieStorage) -> CookieJar {
    // Made first: nothing is called while the lock is held.
    let new = CookieJar(storage)
    return jars.withLock { jars in
      if let known = jars[ObjectIdentifier(storage)]?.jar { return known }
      jars = jars.filter { $0.value.jar != nil }
      jars[ObjectIdentifier(storage)] = Entry(jar: new)
      return new
    }
  }
}

extension CookieJar.State {
  fileprivate mutating func note(_ cookie: Cookie) {
    lastChange += 1
    changes.append(cookie)
  }

  /// Whether the caller has to begin.
  fileprivate mutating func beginShowing() -> Bool {
    guard !isShowing, !changes.isEmpty else { return false }
    isShowing = true
    return true
  }

  /// Removes a cookie that the storage has no longer, unless the server has set it anew.
  fileprivate mutating func forget(_ cookie: Cookie, at now: Double) {
    guard let current = table.cookie(like: cookie), !changes.contains(where: { $0.isSame(as: cookie) }) else { return }
    // The storage drops what has expired; a later expiry may be on its way there.
    if cookie.isExpired(at: now), !current.isExpired(at: now) { return }
    table.remove(cookie)
  }
}
