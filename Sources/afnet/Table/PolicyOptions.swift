import AFArguments

// Who the server must be, and over what it is reached.
extension CommandOption {
  static let pin = CommandOption(
    "pin", nil, .text("sha256/BASE64"), isRepeatable: true, excludes: ["policy"],
    help: "Accept only a server that has this key on its path; 'afnet pin HOST' shows it.")
  static let policy = CommandOption(
    "policy", nil, .file, excludes: ["cacert"],
    help: "Judge servers by this policy file; 'afnet pin HOST --policy' writes one.")
  static let caCertificates = CommandOption(
    "cacert", nil, .file, help: "Trust the authorities of this file (PEM or DER), and no others.")
  static let certificate = CommandOption(
    "cert", nil, .file, excludes: ["p12"], help: "The client certificate, with its chain, in PEM; --key has its key.")
  static let key = CommandOption("key", nil, .file, excludes: ["p12"], help: "The key of --cert, in PEM.")
  static let pkcs12 = CommandOption("p12", nil, .file, help: "Client certificate and key in one PKCS #12 file.")
  static let passphraseFile = CommandOption(
    "passphrase-file", nil, .file,
    help: "The passphrase of --key or --p12 is the first line of this file. Without it AFNET_PASSPHRASE counts.")
  static let tls13 = CommandOption(
    "tls1.3", nil, excludes: ["policy"], help: "TLS 1.3 or newer. Without it 1.2 is enough.")
}

extension CommandOption {
  static let proxy = CommandOption(
    "proxy", nil, .text("URL"),
    help:
      "The proxy: http://, https://, socks5:// or socks5h://HOST:PORT. Its user is in --proxy-user, the password in "
      + "AFNET_PROXY_PASSWORD. Without it http_proxy, https_proxy, all_proxy and no_proxy of the environment count.")
  static let proxyUser = CommandOption("proxy-user", nil, .text("NAME"), help: "The user for the proxy.")
  static let noProxy = CommandOption(
    "noproxy", nil, .text("HOSTS"),
    help:
      "Hosts that are reached directly, separated by commas: names, which stand for those below them, addresses, networks, or "
      + "'*' for all.")
  static let resolve = CommandOption(
    "resolve", nil, .text("HOST:PORT:ADDRESS"), isRepeatable: true,
    help: "Reach the host at this address instead of resolving its name; several addresses are separated by commas.")
  static let interface = CommandOption(
    "interface", nil, .text("NAME"), help: "Leave by this network interface, such as eth0.")
  static let ipv4 = CommandOption("ipv4", "4", excludes: ["ipv6"], help: "Use IPv4 alone.")
  static let ipv6 = CommandOption("ipv6", "6", help: "Use IPv6 alone.")
  static let http1 = CommandOption("http1.1", nil, excludes: ["http2"], help: "HTTP/1.1 and nothing newer.")
  static let http2 = CommandOption(
    "http2", nil,
    help:
      "HTTP/2 also without TLS, to servers that are known to speak it. Over TLS it is what is spoken wherever the server can."
  )
  static let timeout = CommandOption(
    "timeout", nil, .seconds(), help: "Give up after so long without a byte in either direction. Default: 60.")
  static let maximumTime = CommandOption("max-time", nil, .seconds(), help: "Give up after so long in any case.")
  static let connectTimeout = CommandOption(
    "connect-timeout", nil, .seconds(), help: "For resolving, connecting and the handshake together.")
  static let retry = CommandOption(
    "retry", nil, .integer("N", 0...1000),
    help:
      "Try again up to N times, with growing pauses, after a failure that may pass: no connection, a timeout, 408, 429, 500, "
      + "502, 503, 504. A POST or PATCH is sent again only if no server can have seen it.")
  static let limitRate = CommandOption(
    "limit-rate", nil, .size("RATE"), help: "At most so many bytes per second, such as 500K, in either direction.")
  static let config = CommandOption(
    "config", nil, .file, excludes: ["no-config"],
    help: "Read this configuration file instead of the one in XDG_CONFIG_HOME.")
  static let noConfig = CommandOption("no-config", nil, help: "Read no configuration file.")
}

extension OptionGroup {
  static let trust = OptionGroup(
    "Trust", [.pin, .policy, .caCertificates, .certificate, .key, .pkcs12, .passphraseFile, .tls13])
  static let connection = OptionGroup(
    "Connection",
    [
      .proxy, .proxyUser, .noProxy, .resolve, .interface, .ipv4, .ipv6, .http1, .http2, .timeout, .maximumTime,
      .connectTimeout, .retry, .limitRate, .config, .noConfig,
    ])
}
