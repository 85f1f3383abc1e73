public import Foundation

/// What to transfer, and under which rules. A value: it says what is meant until a queue's `add` makes it durable.
public struct AFTransferRequest: Sendable, Hashable, Codable {
  /// The direction, and the way.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// A plain request with a file as its body.
    case upload
    /// A GET into a file.
    case download
  }

  /// Whose the file of an upload is meanwhile.
  public enum Source: String, Sendable, Hashable, Codable {
    /// It is read in place, and must stay as it is until the end. A change fails the transfer.
    case reference
    /// It is moved into the queue's spool (copied if that is on another file system), and deleted at the end. Other programs do not find it there
    /// by its name to change it.
    case handOver
    /// It is copied into the spool. The file may go on changing.
    case copy
  }

  /// What to do when a server may have processed a request that must not be sent twice.
  public enum Delivery: String, Sendable, Hashable, Codable {
    /// Stop, and fail with ``AFTransferError/Code/outcomeUnknown``.
    case once
    /// Send it again.
    case atLeastOnce
  }

  /// Who goes first. Strict, but every half hour of waiting counts as one step up.
  public enum Priority: Int, Sendable, Hashable, Codable, Comparable {
    case low, normal, high

    /// Whether one is less urgent than another.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// What must be so for the transfer to run.
  public enum Requirement: Sendable, Hashable, Codable {
    /// The way to the network is not likely metered.
    case unmetered
    /// The transfer goes out by this network interface, and waits where there is none of that name.
    case interface(String)
  }

  /// The direction, and the way.
  public var kind: Kind
  /// The server's URL: http or https.
  public var url: URL
  /// The file to send, or the place that the download is moved to. A file that is there is replaced.
  public var file: URL
  /// Whose the file of an upload is. ``Source/reference`` by default.
  public var source = Source.reference
  /// The method of an upload: PUT by default. PUT is sent again freely; POST and PATCH only as ``delivery`` says.
  public var method = "PUT"
  /// Header fields, stored in clear text: what looks like a secret is refused, see ``storesSecrets``.
  public var headers: [String: String] = [:]
  /// A name of the caller's: one live transfer has it. Adding another with the same key gives the present one.
  public var key: String?
  /// The caller's own notes, kept with the transfer.
  public var userInfo: [String: String] = [:]
  /// Who goes first. ``Priority/normal`` by default.
  public var priority = Priority.normal
  /// What must be so for the transfer to run. A network is always needed.
  public var requirements: Set<Requirement> = []
  /// The name of a registered security policy. While none of that name is registered, the transfer waits. nil: the default policy.
  public var securityPolicy: String?
  /// The name of registered credentials. While none of that name are registered, the transfer waits.
  public var credentials: String?
  /// The name of a registered closure that says whether a request was processed, where that is in doubt.
  public var verification: String?
  /// What to do in doubt. ``Delivery/once`` by default.
  public var delivery = Delivery.once
  /// Sends the transfer's identifier as `Idempotency-Key`, and the request again freely: the caller vouches for the server. Off by
  /// default.
  public var usesIdempotencyKey = false
  /// Seconds after which the transfer fails with ``AFTransferError/Code/expired``, time in which the machine is off included: 7 days
  /// by default.
  public var lifetime: TimeInterval = 7 * 86_400
  /// The SHA-256 that a download must have, in hexadecimal digits.
  public var expectedSHA256: String?
  /// Allows header fields and parameters of the URL that look like secrets: they are then stored in clear text, readable for the
  /// user alone. `Authorization`, `Proxy-Authorization` and `Cookie` are refused even so; ``credentials`` are for them. Off by default.
  public var storesSecrets = false

  /// An upload of a file.
  /// - Parameters:
  ///   - file: The file.
  ///   - url: Where to send it.
  ///   - source: Whose the file is meanwhile.
  /// - Returns: The request.
  public static func upload(_ file: URL, to url: URL, source: Source = .reference) -> AFTransferRequest {
    var request = AFTransferRequest(kind: .upload, url: url, file: file)
    request.source = source
    return request
  }

  /// A download into a file.
  /// - Parameters:
  ///   - url: What to get.
  ///   - file: The place that it is moved to when it is whole.
  /// - Returns: The request.
  public static func download(_ url: URL, to file: URL) -> AFTransferRequest {
    AFTransferRequest(kind: .download, url: url, file: file)
  }

  init(kind: Kind, url: URL, file: URL) {
    (self.kind, self.url, self.file) = (kind, url, file)
  }

  /// Whether the request may be sent again when it is not known what became of it (RFC 9110 §9.2.2).
  var isRepeatable: Bool {
    switch kind {
    case .download: true
    case .upload: usesIdempotencyKey || delivery == .atLeastOnce || ["PUT", "DELETE"].contains(method)
    }
  }
}
