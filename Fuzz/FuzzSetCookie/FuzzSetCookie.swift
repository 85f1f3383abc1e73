@testable internal import AFCore
internal import FoundationNetworking
internal import FuzzSupport

/// Set-Cookie fields from a few hosts, and requests to them. Nothing traps; what is sent holds no control character and goes where its
/// attributes allow; and what Foundation's storage is shown of a cookie reads back as the same cookie.
///
/// Each line of the input is one step: a digit for the URL, then the field; an empty field asks what is sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSetCookie(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let urls = [
    "https://www.example.org/", "http://www.example.org/", "http://example.org/app/x", "https://me.github.io/",
    "http://shop.co.uk/a/b", "http://localhost/", "https://127.0.0.1:8443/x", "http://[::1]/",
  ].compactMap { CookieURL($0) }
  var table = CookieTable(limits: .init(perSite: 5, total: 12))
  var now = 1_000_000_000.0
  for line in UnsafeBufferPointer(start: bytes, count: count).split(separator: UInt8(ascii: "\n")) {
    guard let first = line.first else { continue }
    let url = urls[Int(first) % urls.count]
    let field = ArraySlice(Array(line.dropFirst()))
    now += 1
    if field.isEmpty {
      check(table.cookies(for: url, at: now), url, now)
    } else if let set = try? SetCookie(field), let cookie = try? Cookie(set, from: url, at: now) {
      checkFace(cookie)
      _ = try? table.store(cookie, from: url, at: now)
      demand(table.count <= 12, "too many")
    }
    _ = CookieURL(String(decoding: field, as: UTF8.self))
  }
  for url in urls { check(table.cookies(for: url, at: now), url, now) }
  return 0
}

private func check(_ cookies: [Cookie], _ url: CookieURL, _ now: Double) {
  for cookie in cookies {
    demand(!cookie.pair.utf8.contains { $0.isCookieControl || $0 == UInt8(ascii: ";") }, "a character that ends a pair")
    demand(!cookie.isSecure || url.isSecure, "Secure over http")
    demand(!cookie.isExpired(at: now), "expired")
    demand(url.host == cookie.domain || (!cookie.isHostOnly && url.host.hasSuffix("." + cookie.domain)), "another host")
    demand(!PublicSuffixes.shared.contains(cookie.domain) || cookie.isHostOnly, "a public suffix")
    demand(url.path.utf8.starts(with: cookie.path.utf8), "another path")
    demand(cookie.name.utf8.count + cookie.value.utf8.count <= 4096, "too long")
  }
}

private func checkFace(_ cookie: Cookie) {
  guard cookie.expires?.isFinite ?? true, let face = HTTPCookie(cookie), let read = Cookie(face) else { return }
  demand(read == cookie, "Foundation shows another cookie")
}
