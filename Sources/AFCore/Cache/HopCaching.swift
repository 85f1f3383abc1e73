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
  var replay: StoredResponse?
  /// The server did not mean the response that we have: the next hop asks as if there were none.
  var bypasses = false
  /// Whether the server is being asked if ``stored`` is still good.
  var isValidating = false
  /// Whether the response comes out of the cache.
  var isServing = false
  /// When the hop was begun, in seconds since 1970.
  var requested: Double = 0
  /// The fields that the request was sent with.
  var sent: SentFields?
  /// What a stub says about keeping its response.
  var stubPolicy: URLCache.StoragePolicy?

  mutating func beginHop() {
    requested = Date().timeIntervalSince1970
    isValidating = false
    stubPolicy = nil
    sent = nil
    // What was looked up for a hop that the user suspended before it began holds for the one that takes its place.
    if !wasAsked { stored = nil }
  }
}

/// How a hop begins, as far as the cache is concerned.
enum CacheUse {
  /// The cache is being asked; the hop starts by itself.
  case isAsked
  /// The task is over: only what is kept would have done, and there is nothing.
  case isRefused
  case serves(StoredResponse)
  /// Over the network, with these fields in addition. The response is for a stub, who decides about it.
  case loads(StoredResponse?, [TransferRequest.HeaderField])

  static let loadsPlainly = CacheUse.loads(nil, [])
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
  var isCacheable: Bool {
    guard method == "GET", body.isEmpty, !headers.contains(where: \.bypassesCache) else { return false }
    // What is fetched with a password in its URL is left alone.
    return !url.utf8.contains(UInt8(ascii: "@")) || url.withoutUserInfo == url
  }

  /// The request's own directives.
  var cacheControl: CacheControl {
    var control = CacheControl(headers.filter { $0.name.equalsIgnoringCase("Cache-Control") }.map(\.value))
    if value("Cache-Control") == nil, value("Pragma")?.lowercased().contains("no-cache") == true {
      control.noCache = true
    }
    return control
  }

  func with(_ fields: [TransferRequest.HeaderField]) -> HopRequest {
    guard !fields.isEmpty else { return self }
    var copy = self
    for field in fields where value(field.name) == nil { copy.headers.append(field) }
    return copy
  }
}
