import AFSecurity
import AFSupport
import AFTestSupport
import Foundation

/// A server's half of Digest (RFC 7616), strict: it knows its nonces, wants each count once and in the right size, and the target
/// that was asked for.
final class DigestServer: Sendable {
  struct Options: Sendable {
    var user = "ada"
    var password = "s3cret"
    var realm = "r"
    var algorithm: String?
    var quality: String? = "auth"
    var isProxy = false
    /// How many requests a nonce serves.
    var uses = Int.max
    var more = ""
    /// Whether each answer brings the next nonce.
    var givesNextNonce = false
    var hasWrongProof = false
  }

  private struct State {
    var nonces: [String: Set<Int>] = [:]
    var issued = 0
  }

  let options: Options
  let challenges = Recorder<String>()
  /// What was wrong with an answer.
  let faults = Recorder<String>()
  private let state = Locked(State())

  init(_ options: Options = Options()) {
    self.options = options
  }

  private func newNonce() -> String {
    state.withLock { state in
      state.issued += 1
      let nonce = "nonce/\(state.issued)=="
      state.nonces[nonce] = []
      return nonce
    }
  }

  private func challenge(isStale: Bool) -> TestResponse {
    var field = "Digest realm=\"\(options.realm)\", nonce=\"\(newNonce())\", opaque=\"o\\\"p\""
    if let quality = options.quality { field += ", qop=\"\(quality)\"" }
    if let algorithm = options.algorithm { field += ", algorithm=\(algorithm)" }
    if isStale { field += ", stale=true" }
    challenges.record(isStale ? "stale" : "fresh")
    return TestResponse(
      options.isProxy ? 407 : 401,
      headers: [(options.isProxy ? "Proxy-Authenticate" : "WWW-Authenticate", field + options.more)],
      body: .bytes(Array("no".utf8)))
  }

  private static func parameters(_ field: String) -> [String: String] {
    var found: [String: String] = [:]
    var rest = Substring(field.dropFirst("Digest ".count))
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].trimmingCharacters(in: [" ", ","])
      rest = rest[rest.index(after: equals)...]
      var value = ""
      if rest.first == "\"" {
        rest.removeFirst()
        while let next = rest.popFirst(), next != "\"" {
          if next == "\\", let escaped = rest.popFirst() { value.append(escaped) } else { value.append(next) }
        }
        rest = rest.drop { $0 != "," }
      } else {
        value = String(rest.prefix { $0 != "," })
        rest = rest.dropFirst(value.count)
      }
      found[name] = value
    }
    return found
  }

  /// Asks, or answers with what `body` makes.
  func answer(_ request: RequestHead, body: [UInt8] = [], _ then: () throws -> TestResponse) rethrows -> TestResponse {
    guard let field = request.value(options.isProxy ? "Proxy-Authorization" : "Authorization"),
      field.hasPrefix("Digest ")
    else { return challenge(isStale: false) }
    let sent = Self.parameters(field)
    let name = options.algorithm ?? "MD5"
    let algorithm: Digest.Algorithm =
      name.hasPrefix("SHA-512-256") ? .sha512_256 : name.hasPrefix("SHA-256") ? .sha256 : .md5
    func hash(_ text: String) -> String { Digest.hex(algorithm, text) ?? "" }
    func response(_ method: String) -> String {
      var key = hash("\(options.user):\(options.realm):\(options.password)")
      if name.hasSuffix("-sess") { key = hash("\(key):\(sent["nonce"] ?? ""):\(sent["cnonce"] ?? "")") }
      var what = "\(method):\(sent["uri"] ?? "")"
      if sent["qop"] == "auth-int", !method.isEmpty {
        let running = RunningDigest(algorithm)
        body.withUnsafeBytes { running?.update($0) }
        what += ":\(running?.finish() ?? "")"
      }
      return options.quality == nil
        ? hash("\(key):\(sent["nonce"] ?? ""):\(hash(what))")
        : hash(
          "\(key):\(sent["nonce"] ?? ""):\(sent["nc"] ?? ""):\(sent["cnonce"] ?? ""):\(sent["qop"] ?? ""):\(hash(what))"
        )
    }
    func refuse(_ fault: String) -> TestResponse {
      faults.record(fault)
      return challenge(isStale: false)
    }
    guard sent["response"] == response(request.method) else { return refuse("response") }
    let target = options.isProxy ? request.target : sent["uri"] ?? ""
    guard request.target == target || request.target.hasSuffix(target), sent["uri"] == target else {
      return refuse("uri \(sent["uri"] ?? "") for \(request.target)")
    }
    guard sent["opaque"] == "o\"p", sent["realm"] == options.realm else { return refuse("opaque or realm") }
    let nonce = sent["nonce"] ?? ""
    let count = Int(sent["nc"] ?? "", radix: 16)
    let verdict = state.withLock { state -> String in
      guard let used = state.nonces[nonce], used.count < options.uses else { return "stale" }
      guard options.quality != nil else {
        state.nonces[nonce, default: []].insert(used.count)
        return ""
      }
      guard let count, count >= 1, sent["nc"]?.utf8.count == 8, !used.contains(count) else {
        return "nc \(sent["nc"] ?? "")"
      }
      state.nonces[nonce, default: []].insert(count)
      return ""
    }
    if verdict == "stale" { return challenge(isStale: true) }
    guard verdict.isEmpty else { return refuse(verdict) }
    var info = "rspauth=\"\(options.hasWrongProof ? "0" : response(""))\""
    if let quality = sent["qop"] { info += ", qop=\(quality)" }
    if options.givesNextNonce { info += ", nextnonce=\"\(newNonce())\"" }
    return try then().with(options.isProxy ? "Proxy-Authentication-Info" : "Authentication-Info", info)
  }
}
