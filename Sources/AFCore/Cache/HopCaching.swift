import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// A hop's dealings with the cache; behind the lock of its task.
struct HopCaching: Sendable {
  /// Whether the cache has been asked about the present hop, and what it had.
  var wasAsked = false
  var stored: StoredResponse?
  /// What the next hop is answered with, whatever the cache says.
  var replay: Replay?
  /// The server did not mean the response that we have: the next hop asks as if there were none.
  var bypasses = false
  /// Whether the server is being asked if ``stored`` is still good.
  var isValidating = false
  /// Whether the response comes out of the cache.
  var isServing = false
  /// When the hop was begun, in seconds since 1970.
  var requested: Double = 0
  /// The fields that the request was sent with, and what was known of changes then.
  var sent: SentFields?
  var sentAt: InvalidationLedger.Moment?
  /// What a stub says about keeping its response.
  var stubPolicy: URLCache.StoragePolicy?

  /// What the last response changes of what is kept; filled by ``FollowUp``.
  var change: Change?

  enum Change: Sendable {
    /// It is out of date.
    case remove(StoredResponse)
    /// The server has confirmed it.
    case refresh(StoredResponse, inPlaceOf: StoredResponse)
  }

  struct Replay: Sendable {
    let stored: StoredResponse
    /// Whether the server has just confirmed it.
    let isConfirmed: Bool
  }

  mutating func beginHop() {
    requested = Date().timeIntervalSince1970
    isValidating = false
    stubPolicy = nil
    sent = nil
    sentAt = nil
    // What was looked up for a hop that the user suspended before it began holds for the one that takes its place.
    if !wasAsked { stored = nil }
  }
}

/// A response that the cache makes.
struct CachedAnswer: Sendable {
  let head: ResponseHead
  let body: Data

  init(head: ResponseHead, body: Data) {
    self.head = head
    self.body = body
  }

  init(_ stored: StoredResponse, at now: Double, isConfirmed: Bool = false) {
    self.init(head: stored.rules.served(at: now, isConfirmed: isConfirmed), body: stored.cached.data)
  }

  /// Nothing that is kept may be used, and the request wants nothing else (RFC 9111 §5.2.1.7).
  static func refusal(at now: Double) -> CachedAnswer {
    let fields = [("Date", HTTPDate.text(now)), ("Content-Length", "0")]
    return CachedAnswer(head: ResponseHead(status: 504, fields: fields), body: Data())
  }
}

/// How a hop begins, as far as the cache is concerned.
enum CacheUse {
  /// The cache is being asked; the hop starts by itself.
  case isAsked
  /// The task is over: only what is kept would have done, and there is nothing.
  case isRefused
  case serves(CachedAnswer)
  /// Over the network, with these fields in addition. The response is for a stub, who decides about it.
  case loads(StoredResponse?, [TransferRequest.HeaderField])
}

extension TransferRequest.HeaderField {
  private static let bypassing = [
    "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
  ]

  /// Whether the field asks for something that no kept response may answer.
  var bypassesCache: Bool {
    guard let first = name.utf8.first?.asciiLowercased, first == UInt8(ascii: "i") || first == UInt8(ascii: "r") else {
      return false
    }
    return Self.bypassing.contains { name.equalsIgnoringCase($0) }
  }
}

extension HopRequest {
  /// Whether a response to this request may be kept, and a kept one be its answer.
  var isCacheable: Bool { method == "GET" && body.isEmpty && mayConcernCache }

  /// Whether the answer to this request says something about what a GET would get.
  var mayFreshen: Bool { method == "HEAD" && body.isEmpty && mayConcernCache }

  private var mayConcernCache: Bool {
    guard !headers.contains(where: \.bypassesCache) else { return false }
    // What is fetched with a password in its URL is left alone.
    return !url.utf8.contains(UInt8(ascii: "@")) || url.withoutUserInfo == url
  }

  func with(_ fields: [TransferRequest.HeaderField]) -> HopRequest {
    guard !fields.isEmpty else { return self }
    var copy = self
    for field in fields where value(field.name) == nil { copy.headers.append(field) }
    return copy
  }
}

extension SessionSettings {
  /// The directives that a request is sent with: its own fields', or else those of the session.
  func cacheControl(of request: HopRequest) -> CacheControl {
    func values(_ name: String) -> [String] {
      let own = request.headers.filter { $0.name.equalsIgnoringCase(name) }
      return (own.isEmpty ? additionalHeaders.filter { $0.name.equalsIgnoringCase(name) } : own).map(\.value)
    }
    let directives = values("Cache-Control")
    var control = CacheControl(directives)
    // Pragma counts where there is no Cache-Control (RFC 9111 §5.4).
    if directives.isEmpty, values("Pragma").contains(where: \.isNoCachePragma) { control.noCache = true }
    return control
  }
}
