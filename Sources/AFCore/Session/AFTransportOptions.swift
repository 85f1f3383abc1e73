public import AFMultipart
import AFTransport
public import Foundation

/// What `URLSessionConfiguration` cannot say about connections.
///
/// Set it on a manager before its first request; see ``AFURLSessionManager/transportOptions``.
public struct AFTransportOptions: Sendable, Hashable {
  /// Which version of HTTP is spoken.
  public enum HTTPVersion: Sendable, Hashable {
    /// HTTP/2 over TLS where the server speaks it, else HTTP/1.1.
    case automatic
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 without TLS, to servers that are known to speak it (RFC 9113 §3.3).
    case http2PriorKnowledge
  }

  /// Which addresses of a host are used.
  public enum AddressFamily: Sendable, Hashable {
    /// Whatever there is.
    case any
    /// IPv4 alone.
    case ipv4
    /// IPv6 alone.
    case ipv6
  }

  /// A proxy.
  public struct Proxy: Sendable, Hashable {
    /// `http://host:port`, `https://host:port`, `socks5://host:port`, or `socks5h://host:port`, whose proxy resolves names.
    /// Without a scheme it is an HTTP proxy.
    public var url: String
    /// The user for the proxy, or nil.
    public var user: String?
    /// The password for the proxy, or nil.
    public var password: String?
    /// Hosts that are reached directly: names, which stand for all names below them too, addresses, networks ("10.0.0.0/8"), or
    /// "*" for every host. A port may follow a name or an address ("a.example:8080", "[::1]:80"). See
    /// ``AFTransportOptions/proxyExceptionsNotUnderstood``.
    public var exceptions: [String]

    /// A proxy.
    public init(url: String, user: String? = nil, password: String? = nil, exceptions: [String] = []) {
      self.url = url
      self.user = user
      self.password = password
      self.exceptions = exceptions
    }
  }

  /// Which version of HTTP is spoken. Default: automatic.
  public var httpVersion = HTTPVersion.automatic
  /// Which addresses are used. Default: any.
  public var addressFamily = AddressFamily.any
  /// The network interface to leave by, such as "eth0". Default: nil, the routing table decides.
  public var networkInterface: String?
  /// Addresses that take the place of name resolution, by "host:port"; several are separated by commas. Default: none.
  public var resolvedAddresses: [String: String] = [:]
  /// Seconds for resolving, connecting and the TLS handshake together. Default: nil, the request's timeout.
  public var connectTimeout: TimeInterval?
  /// The proxy for everything; wins over the configuration's `connectionProxyDictionary`. Default: nil.
  public var proxy: Proxy?
  /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment count, where nothing else names a
  /// proxy. They are read when the session is made. Default: false.
  public var usesEnvironmentProxies = false

  /// Entries of ``Proxy/exceptions``, or else of `no_proxy` where the environment counts, that are none of the forms described there,
  /// such as "10.0.0.0/33" or "http://a.example". They count for nothing, so that their hosts are reached over the proxy: worth a look
  /// before the first request.
  public var proxyExceptionsNotUnderstood: [String] {
    if let proxy { return ProxyExceptions(proxy.exceptions).notUnderstood }
    return usesEnvironmentProxies ? ProxySettings.exceptions(ProcessInfo.processInfo.environment).notUnderstood : []
  }

  /// A budget for all bodies that the session sends, of any kind: its tasks share it equally, with each other and with
  /// whoever else has been given the same limit. It can be changed while they run. Default: nil, no limit.
  public var uploadLimit: AFBandwidthLimit?
  /// The same for all bodies that it receives, counted as they come over the wire. Default: nil, no limit.
  public var downloadLimit: AFBandwidthLimit?
  /// Whether new requests wait until the manager's `reachabilityManager` sees its target reachable, and requests that failed
  /// for want of a route or a resolver, before a server saw them, start again then. Each wait is bounded by the request's
  /// timeout; the error is `URLError.notConnectedToInternet`. Requests to loopback never wait. The reachability manager need
  /// not be started. Default: false.
  public var holdsUntilReachable = false
  /// Whether a redirect from https to http is followed although the manager's security policy pins a certificate or a key for
  /// one of the two hosts. Else the task fails with `URLError.appTransportSecurityRequiresSecureConnection`, also where a
  /// redirect block lets it pass. Default: false.
  public var followsRedirectsFromPinnedToHTTP = false

  /// The largest response body that is gathered in memory, in bytes, after decoding: that of a data or upload task, and of an
  /// `async` call that gives `Data` or a value. Downloads to a file and byte streams do not count. A larger body fails with
  /// `URLError.dataLengthExceedsMaximum`, as soon as its announced length or what has come of it passes the limit.
  /// Default: 1 GiB; nil means no limit.
  public var maximumBodySizeInMemory: Int64? = 1 << 30
  /// The largest size, in bytes, to which a body with a content coding (gzip, …) may be decoded, wherever it goes. A larger one
  /// fails with `URLError.dataLengthExceedsMaximum`. Default: nil, no limit but ``maximumInflationRatio``.
  public var maximumDecodedBodySize: Int64?
  /// How many times its size a body with content codings may grow to when it is decoded, wherever it goes; counted once 64 MiB
  /// have been decoded. One that grows more fails with `URLError.dataLengthExceedsMaximum`. gzip alone cannot pass 1032, so that
  /// the default stops only what was made to exhaust its reader. Default: 2000; nil means no limit.
  public var maximumInflationRatio: Int? = 2000

  /// The defaults.
  public init() {}
}

extension AFTransportOptions {
  var network: NetworkOptions {
    var network = NetworkOptions()
    network.addressFamily =
      switch addressFamily {
      case .any: .any
      case .ipv4: .ipv4
      case .ipv6: .ipv6
      }
    network.interface = networkInterface
    network.resolve = resolvedAddresses.map { "\($0.key):\($0.value)" }.sorted()
    return network
  }

  var bodyLimits: BodyLimits {
    var limits = BodyLimits()
    limits.memory = maximumBodySizeInMemory
    limits.decoded = maximumDecodedBodySize
    limits.ratio = maximumInflationRatio
    return limits
  }

  var versionPolicy: HTTPVersionPolicy {
    switch httpVersion {
    case .automatic: .automatic
    case .http1: .http1
    case .http2PriorKnowledge: .http2PriorKnowledge
    }
  }
}
