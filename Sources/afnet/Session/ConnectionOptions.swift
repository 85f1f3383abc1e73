import AFArguments
import AFCore
import AFMultipart
import Foundation

/// The options about the way to the server.
enum ConnectionOptions {
  static func transport(
    _ arguments: Arguments, _ environment: [String: String]
  ) throws(ToolFailure) -> AFTransportOptions {
    var options = AFTransportOptions()
    if arguments.has(.http1) { options.httpVersion = .http1 }
    if arguments.has(.http2) { options.httpVersion = .http2PriorKnowledge }
    if arguments.has(.ipv4) { options.addressFamily = .ipv4 }
    if arguments.has(.ipv6) { options.addressFamily = .ipv6 }
    options.networkInterface = arguments.text(.interface)
    for text in arguments.all(.resolve) {
      let (place, addresses) = try resolved(text)
      options.resolvedAddresses[place] = addresses
    }
    options.connectTimeout = arguments.seconds(.connectTimeout)
    let exceptions = arguments.text(.noProxy)?.split(separator: ",").map(String.init) ?? []
    if let proxy = arguments.text(.proxy) {
      guard !proxy.contains("@") else {
        throw .usage("--proxy takes no user: --proxy-user has the name, AFNET_PROXY_PASSWORD the password")
      }
      options.proxy = AFTransportOptions.Proxy(
        url: proxy, user: arguments.text(.proxyUser),
        password: arguments.has(.proxyUser) ? environment["AFNET_PROXY_PASSWORD"] : nil, exceptions: exceptions)
    } else {
      // The list takes the place of the environment's, as with curl. Nothing else runs yet.
      if let hosts = arguments.text(.noProxy) { for name in ["no_proxy", "NO_PROXY"] { setenv(name, hosts, 1) } }
      options.usesEnvironmentProxies = true
    }
    if let entry = options.proxyExceptionsNotUnderstood.first {
      throw .usage("'\(entry)' among the hosts that need no proxy is no name, address or network")
    }
    if let rate = arguments.size(.limitRate) {
      guard rate > 0 else { throw .usage("--limit-rate needs more than 0 bytes per second") }
      let limit = AFBandwidthLimit(bytesPerSecond: rate)
      options.uploadLimit = limit
      options.downloadLimit = AFBandwidthLimit(bytesPerSecond: rate)
    }
    return options
  }

  /// `HOST:PORT:ADDRESS[,ADDRESS]`, where IPv6 addresses, and a host that is one, stand in brackets or not.
  static func resolved(_ text: String) throws(ToolFailure) -> (place: String, addresses: String) {
    let match = text.wholeMatch(of: /(\[[^\]]+\]|[^:\[\]]+):([0-9]+):(.+)/)
    guard let match, let port = Int(match.2), (1...65_535).contains(port) else {
      throw .usage("--resolve takes HOST:PORT:ADDRESS, not '\(text)'")
    }
    return ("\(match.1):\(port)", String(match.3))
  }
}
