import AFSecurity
import AFTransport

/// The fields that a request is sent with, as far as a kept response may depend on them.
struct SentFields: Sendable {
  var fields: [TransferRequest.HeaderField]
  /// Whether `Cookie` came out of the session's storage and not from the caller. Then it counts where the response says so, by
  /// `Vary` or `private`: a storage's cookies change all the time, and most have nothing to do with who is asking.
  var hasStoredCookies = false
  /// The client certificate that the session shows to the server, if any.
  var certificate: String?

  init(_ fields: [TransferRequest.HeaderField], hasStoredCookies: Bool = false, certificate: String? = nil) {
    self.fields = fields
    self.hasStoredCookies = hasStoredCookies
    self.certificate = certificate
  }
}

/// In what requests must agree to have the same kept response: by its `Vary` (RFC 9111 §4.1), and by who is asking.
struct CacheVariance: Equatable, Sendable {
  /// The field names of `Vary`, in lower case and order.
  let names: [String]
  /// Whether the response says that it is for one user.
  let isPrivate: Bool

  /// Whether it depends on no field that `Vary` names.
  var isPlain: Bool { names.isEmpty }

  /// A digest of what counts in a request. A digest, because these fields hold secrets and the cache is a file.
  func selector(_ sent: SentFields) -> String {
    var values: [String: [String]] = [:]
    for name in names { values[name] = [] }
    for field in sent.fields {
      let name = field.name.lowercased()
      guard values[name] != nil || identifies(field, name, sent) else { continue }
      values[name, default: []].append(field.value.trimmed)
    }
    var text = "\(isPrivate)\n"
    for (name, values) in values.sorted(by: { $0.key < $1.key }) {
      text += values.isEmpty ? "\(name)\n" : "\(name): \(values.joined(separator: ", "))\n"
    }
    if let certificate = sent.certificate { text += "\n\(certificate)" }
    return Digest.sha256(text)
  }

  private func identifies(_ field: TransferRequest.HeaderField, _ name: String, _ sent: SentFields) -> Bool {
    if name == "cookie", sent.hasStoredCookies { return isPrivate }
    return CacheIdentity.counts(field, isPrivate: isPrivate)
  }
}

/// The responses for one URL beside the one that stands under the URL itself: for other values of the fields on which they
/// depend. They are listed with that one, so that whoever removes it has removed them all.
struct CacheVariants: Equatable, Sendable {
  struct Variant: Equatable, Sendable {
    let variance: CacheVariance
    let selector: String
  }

  /// The oldest first.
  private(set) var all: [Variant] = []

  /// More are not kept for one URL.
  static let limit = 16

  /// The selectors of those that answer a request, the newest first.
  func selectors(for sent: SentFields) -> [String] {
    all.reversed().filter { $0.variance.selector(sent) == $0.selector }.map(\.selector)
  }

  /// Takes one in, as the newest.
  /// - Returns: The selector of the one that has to make room for it.
  mutating func insert(_ variant: Variant) -> String? {
    remove(variant.selector)
    all.append(variant)
    return all.count > Self.limit ? all.removeFirst().selector : nil
  }

  mutating func remove(_ selector: String) { all.removeAll { $0.selector == selector } }

  /// One line for each: its selector, whether it is private, its names.
  var text: String {
    all.map { "\($0.selector) \($0.variance.isPrivate ? 1 : 0) \($0.variance.names.joined(separator: ","))" }.joined(
      separator: "\n")
  }

  init() {}

  init(text: String) {
    all = text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      return Variant(
        variance: CacheVariance(names: parts[2].split(separator: ",").map(String.init), isPrivate: parts[1] == "1"),
        selector: String(parts[0]))
    }
  }
}
