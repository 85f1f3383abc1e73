import AFSupport
import CCurl
import Foundation

extension Transfer {
  /// Sets the options of the easy handle. Returns what cannot be sent, if anything.
  func configure() -> TransferFailure? {
    easy.transfer = self
    if let last = easy.profile, last.kind == plainKind {
      setWhatDiffers(from: last)
    } else {
      if easy.profile != nil { easy.reset() }
      setCommonOptions()
      setMethodAndBody()
      setHeaders()
      setRoute()
      if authority.isSecure || usesSecureProxy { setTrust() }
      setAuthentication()
      easy.profile = plainKind.map { HandleProfile(kind: $0, url: request.url, headers: request.headers) }
    }
    guard let refused = easy.firstFailure else { return nil }
    var failure = TransferFailure(
      kind: .badRequest,
      message: "libcurl refuses option \(refused.option.rawValue): \(String(cString: curl_easy_strerror(refused.code)))"
    )
    failure.curlCode = Int32(refused.code.rawValue)
    return failure
  }

  /// The kind of a request whose options can stay on the handle for the next; nil if this is none.
  private var plainKind: HandleProfile.Kind? {
    let options = request.options
    guard !source.isSent, request.method != "HEAD", options.authentication == nil, options.isIdempotent,
      !options.expectsLargeResponse, !carriesProxyFields,
      options.proxy == .direct || options.proxyAuthentication == nil && !authority.isSecure
    else { return nil }
    return HandleProfile.Kind(
      method: request.method, isSecure: authority.isSecure, httpVersion: httpVersion, connectTimeout: connectTimeout,
      decodesContent: options.decodesContent, network: options.network, proxy: options.proxy, label: label)
  }

  private func setWhatDiffers(from last: HandleProfile) {
    if request.url != last.url {
      setURL()
      easy.profile?.url = request.url
    }
    if request.headers != last.headers {
      setHeaders()
      easy.profile?.headers = request.headers
      if carriesProxyFields { easy.profile = nil }
    }
    easy.forgetFailure()
    // The last request set it once its own connection was chosen.
    easy.set(CURLOPT_FRESH_CONNECT, 0)
  }

  /// Whether the handle can serve the next request as it is: nothing out of the ordinary has happened to it.
  var leavesPlainHandle: Bool { easy.profile != nil && machine.failure == nil && !machine.wasRepeated }

  private func setURL() {
    easy.set(CURLOPT_URL, request.url)
    guard LibcurlCapabilities.current.dropsEmptyQuery else { return }
    let isForwarded = request.options.proxy.speaksHTTP && !authority.isSecure
    easy.set(CURLOPT_REQUEST_TARGET, EmptyQuery.target(of: request.url, isForwarded: isForwarded))
  }

  /// Milliseconds.
  private var connectTimeout: Int {
    // 0, less, or not a number: never.
    let limits = [request.options.connectTimeout, request.options.idleTimeout].filter { $0 > 0 }
    let seconds = limits.min() ?? .infinity
    return Int(max(1, min(seconds * 1000, 86_400_000)).rounded(.up))
  }

  private func setCommonOptions() {
    let options = request.options
    let userPointer = easy.userPointer
    setURL()
    easy.set(CURLOPT_PRIVATE, pointer: userPointer)
    easy.set(CURLOPT_PATH_AS_IS, 1)
    easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    easy.set(CURLOPT_NOSIGNAL, 1)
    // Taking a handle out in the midst of a name look-up must not wait for the resolver's thread (pitfall 2).
    easy.set(CURLOPT_QUICK_EXIT, 1)
    easy.set(CURLOPT_NOPROGRESS, 1)
    easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // The chunked coding comes as it is, and is undone by rules without leeway (pitfalls 49 and 50).
    easy.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
    // A handle that served an HTTP/2 stream before still has its buffer, and may not change it: slower, but no harm.
    easy.prefer(CURLOPT_BUFFERSIZE, options.expectsLargeResponse ? 512 << 10 : 64 << 10)
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout)
    switch options.network.addressFamily {
    case .any: break
    case .ipv4: easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if let interface = options.network.interface { easy.set(CURLOPT_INTERFACE, "if!\(interface)") }
    if !options.network.resolve.isEmpty { easy.set(CURLOPT_RESOLVE, lines: options.network.resolve) }
    easy.set(CURLOPT_HTTP_VERSION, httpVersion)
    if authority.isSecure, httpVersion != Int(CURL_HTTP_VERSION_1_1) {
      // A connection that is being made may turn out to take many streams: wait for it instead of opening another.
      easy.set(CURLOPT_PIPEWAIT, 1)
    }
    easy.set(CURLOPT_HEADERDATA, pointer: userPointer)
    easy.setData(CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
      EasyHandle.transfer(user)?.headerLineArrived(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    easy.set(CURLOPT_WRITEDATA, pointer: userPointer)
    easy.setData(CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
      EasyHandle.transfer(user)?.bodyArrived(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    easy.set(CURLOPT_PREREQDATA, pointer: userPointer)
    easy.setBeforeRequest { user, _, _, _, localPort in
      EasyHandle.transfer(user)?.requestWillBeSent(localPort: localPort) == true
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
  }

  /// Whether the easy handle's buffers are those of a small exchange.
  var hasSmallBuffers: Bool { !request.options.expectsLargeResponse && !(source.isSent && sendsLargeBody) }

  private var sendsLargeBody: Bool { (source.length ?? .max) > 1 << 20 }

  var httpVersion: Int {
    switch request.options.httpVersion {
    case .http1: Int(CURL_HTTP_VERSION_1_1)
    case .http2PriorKnowledge: Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    case .automatic:
      Self.needsHTTP1(request) ? Int(CURL_HTTP_VERSION_1_1) : Int(CURL_HTTP_VERSION_2TLS)
    }
  }

  /// Whether this libcurl cannot carry the request's body over HTTP/2 (pitfall 5).
  static func needsHTTP1(_ request: TransferRequest) -> Bool {
    guard request.options.httpVersion == .automatic else { return request.options.httpVersion == .http1 }
    guard let largest = LibcurlCapabilities.current.largestHTTP2Upload else { return false }
    return switch request.body {
    case .none: false
    case .data(let data): data.count > largest
    case .reader(let reader): (reader.contentLength ?? .max) > largest
    }
  }

  private func setMethodAndBody() {
    if request.method == "HEAD" {
      easy.set(CURLOPT_NOBODY, 1)
      return
    }
    // One way for every method with a body: the POST way takes another length option and invents a type (pitfall 15).
    if source.isSent {
      easy.set(CURLOPT_UPLOAD, 1)
      easy.set(CURLOPT_INFILESIZE_LARGE, off: source.length ?? -1)
      easy.set(CURLOPT_UPLOAD_BUFFERSIZE, sendsLargeBody ? 1 << 20 : 64 << 10)
      easy.set(CURLOPT_READDATA, pointer: easy.userPointer)
      easy.setData(CURLOPT_READFUNCTION) { bytes, size, count, user in
        EasyHandle.transfer(user)?.bodyWanted(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
          ?? Int(CURL_READFUNC_ABORT)
      }
      // Also without redirects: libcurl rewinds when it repeats a request on a fresh connection (pitfall 16).
      easy.set(CURLOPT_SEEKDATA, pointer: easy.userPointer)
      easy.setSeek { user, offset, origin in
        guard offset == 0, origin == SEEK_SET, let transfer = EasyHandle.transfer(user) else {
          return CURL_SEEKFUNC_CANTSEEK
        }
        return transfer.rewindBody() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
      }
    } else {
      easy.set(CURLOPT_HTTPGET, 1)
    }
    if request.method != "GET" || source.isSent { easy.set(CURLOPT_CUSTOMREQUEST, request.method) }
  }

  func setHeaders() {
    var lines: [String] = []
    var proxyLines: [String] = []
    lines.reserveCapacity(request.headers.count + 2)
    var expects = false
    var accepts = false
    var closes = false
    for field in request.headers {
      var isForProxy = false
      switch field.name.lowercased() {
      case "content-length", "transfer-encoding": continue
      case "expect":
        if hasDroppedExpect, field.isExpectContinue { continue }
        expects = true
      case "accept-encoding": accepts = true
      case "proxy-authorization": isForProxy = true
      case "connection": closes = closes || field.saysClose
      default: break
      }
      // For the proxy alone, whatever its kind; without one nobody gets it.
      if isForProxy {
        proxyLines.append("\(field.name): \(field.value)")
        continue
      }
      // libcurl takes "Name:" for "send no such field", and "Name;" for an empty one.
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    // Without this libcurl waits up to a second for a 100 (pitfall 1).
    if !expects, source.isSent { lines.append("Expect:") }
    if !accepts, request.options.decodesContent { lines.append("Accept-Encoding: \(ContentCoding.acceptEncoding)") }
    easy.set(CURLOPT_HTTPHEADER, lines: lines)
    // The server may hang up without a word of its own, and who said "close" sends nothing after it (RFC 9112 §9.6).
    easy.set(CURLOPT_FORBID_REUSE, closes ? 1 : 0)
    // A proxy's CONNECT must not see the server's fields.
    easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    guard !proxyLines.isEmpty else { return }
    easy.set(CURLOPT_PROXYHEADER, lines: proxyLines)
    carriesProxyFields = true
  }

  private func setRoute() {
    switch request.options.proxy {
    case .direct:
      easy.set(CURLOPT_PROXY, "")
    case .proxy(let url, let user, let password):
      easy.set(CURLOPT_PROXY, url)
      // Of SOCKS. What an HTTP proxy is told comes as a field, or as `proxyAuthentication`.
      if let user {
        setProxyCredentials(user, password ?? "", Int(af_CURLAUTH_BASIC | af_CURLAUTH_DIGEST))
      }
      // Not what the environment says either.
      easy.set(CURLOPT_NOPROXY, "")
    }
    listenToTunnel()
    if let own = request.options.proxyAuthentication {
      setProxyCredentials(own.user, own.password, own.scheme.bits)
    }
  }

  private func setProxyCredentials(_ user: String, _ password: String, _ schemes: Int) {
    easy.set(CURLOPT_PROXYUSERNAME, user)
    easy.set(CURLOPT_PROXYPASSWORD, password)
    easy.set(CURLOPT_PROXYAUTH, schemes)
  }

  /// Whether libcurl has credentials for the proxy.
  static func answersProxy(_ options: TransferOptions) -> Bool {
    if options.proxyAuthentication != nil { return true }
    if case .proxy(_, .some, _) = options.proxy { return true }
    return false
  }

  private func setAuthentication() {
    guard let authentication = request.options.authentication else { return }
    easy.set(CURLOPT_HTTPAUTH, authentication.scheme.bits)
    easy.set(CURLOPT_USERNAME, authentication.user)
    easy.set(CURLOPT_PASSWORD, authentication.password)
    // libcurl tells the connections of one NTLM user from another's, but not those of Negotiate: nobody else gets one.
    if authentication.scheme == .negotiate {
      easy.set(CURLOPT_FRESH_CONNECT, 1)
      easy.set(CURLOPT_FORBID_REUSE, 1)
    }
  }
}

extension TransferRequest.HeaderField {
  /// Whether a `Connection` field's options include `close`.
  fileprivate var saysClose: Bool {
    value.split(separator: ",").contains { $0.lowercased().trimmingCharacters(in: .whitespaces) == "close" }
  }
}

extension TransferAuthentication.Scheme {
  /// libcurl's bit for the scheme.
  var bits: Int {
    switch self {
    case .basic: Int(af_CURLAUTH_BASIC)
    case .digest: Int(af_CURLAUTH_DIGEST)
    case .ntlm: Int(af_CURLAUTH_NTLM)
    case .negotiate: Int(af_CURLAUTH_NEGOTIATE)
    }
  }
}
