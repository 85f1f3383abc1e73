package import AFSupport
package import Foundation

/// What one hop sends: one request, one response. Redirects, authentication and retries are made of several hops, above.
package struct TransferRequest: Sendable {
  /// The absolute URL, in ASCII, scheme http or https.
  package var url: String
  package var method: String
  /// Header fields in the order they are sent. The engine adds `Host`, and the one framing field that the body asks for
  /// (`Content-Length` or `Transfer-Encoding`); fields of these two names are dropped here.
  package var headers: [HeaderField]
  package var body: Body
  package var options: TransferOptions

  package init(
    url: String, method: String = "GET", headers: [HeaderField] = [], body: Body = .none,
    options: TransferOptions = TransferOptions()
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
    self.options = options
  }

  package struct HeaderField: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package enum Body: Sendable {
    /// No body and no framing field, as for GET and HEAD. For PUT, POST and PATCH it means `Content-Length: 0`.
    case none
    case data(Data)
    /// Pulled without blocking; chunked (HTTP/1.1) if its length is unknown. The engine closes it when the hop is over.
    case reader(any BodyReader)
  }
}

/// How one hop is carried out.
package struct TransferOptions: Sendable {
  /// Seconds without a byte in either direction after which the hop fails; it does not run while the hop is suspended,
  /// throttled or held back by its own reader. Before the hop is admitted it runs from the moment at which a place at its origin
  /// last became free. 0, less, not a number or infinite: never.
  package var idleTimeout: Double = 60
  /// The moment by which the whole must be done; counts also while the hop waits to be admitted.
  package var deadline: MonotonicTime = .distantFuture
  /// Seconds for resolving, connecting and the TLS handshake together. The idle timeout limits it as well.
  package var connectTimeout: Double = 60
  /// From 0 (last) to 1 (first) among those that wait to be admitted.
  package var priority: Float = 0.5
  package var httpVersion = HTTPVersionPolicy.automatic
  /// Ask for and undo content codings.
  package var decodesContent = true
  package var bodyLimits = BodyLimits()
  /// A large body is expected: take a larger receive buffer.
  package var expectsLargeResponse = false
  package var collectsMetrics = false
  /// A complete response ends the request's body, whatever its status; otherwise one that says success does not while the peer reads.
  package var endsBodyWithAnswer = false
  /// Requests of these methods may be repeated, once, when a reused connection dies before a byte of the answer came.
  package var isIdempotent = true
  package var authentication: TransferAuthentication?
  package var proxy = ProxyRoute.direct
  /// Credentials that take the place of the proxy route's own.
  package var proxyAuthentication: TransferAuthentication?
  package var network = NetworkOptions()
  package var uploadLimiter: (any RateLimiter)?
  package var downloadLimiter: (any RateLimiter)?

  package init() {}
}

package enum HTTPVersionPolicy: Sendable, Hashable {
  /// HTTP/2 over TLS where the server speaks it, HTTP/1.1 otherwise.
  case automatic
  case http1
  /// HTTP/2 without TLS, known beforehand.
  case http2PriorKnowledge
}

/// Credentials for the schemes that libcurl computes. AFCore leaves NTLM and Negotiate to it, which authenticate a connection; Basic,
/// Bearer and Digest are header fields of its own.
package struct TransferAuthentication: Sendable, Hashable {
  package enum Scheme: Sendable, Hashable { case basic, digest, ntlm, negotiate }
  package var scheme: Scheme
  package var user: String
  package var password: String

  package init(scheme: Scheme, user: String, password: String) {
    self.scheme = scheme
    self.user = user
    self.password = password
  }
}

/// The way to the server. libcurl's own rules about the environment and about exceptions play no part.
package enum ProxyRoute: Sendable, Hashable {
  case direct
  /// `url` such as `http://host:3128` or `socks5h://host:1080`.
  case proxy(url: String, user: String?, password: String?)

  /// Whether there is a proxy, and one that is asked in HTTP.
  var speaksHTTP: Bool {
    guard case .proxy(let url, _, _) = self else { return false }
    return !url.lowercased().hasPrefix("socks")
  }
}

/// Details below HTTP that URLSessionConfiguration cannot say.
package struct NetworkOptions: Sendable, Hashable {
  package enum AddressFamily: Sendable, Hashable { case any, ipv4, ipv6 }
  package var addressFamily = AddressFamily.any
  /// The name of the network interface to leave by, or nil.
  package var interface: String?
  /// `HOST:PORT:ADDRESS` entries that take the place of name resolution.
  package var resolve: [String] = []

  package init() {}
}
