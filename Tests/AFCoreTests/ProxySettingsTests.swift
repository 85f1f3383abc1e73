import AFTransport
import Foundation
import Testing

@testable import AFCore

@Suite struct ProxySettingsTests {
  @Test(arguments: [
    ("example.org", "example.org", true), ("example.org", "a.b.example.org", true),
    ("example.org", "EXAMPLE.org.", true),
    ("example.org", "badexample.org", false), (".example.org", "example.org", true),
    ("*.example.org", "a.example.org", true),
    ("*.local", "printer.local", true), ("localhost", "127.0.0.1", false), ("*", "anything", true),
    ("", "anything", false),
    ("10.0.0.0/8", "10.200.3.4", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.1", true),
    ("10.0.0.1", "10.0.0.10", false), ("10.0.0.0/33", "10.0.0.0", false), ("10.0.0.0/x", "10.0.0.0", false),
    ("192.168.1.128/25", "192.168.1.127", false), ("192.168.1.128/25", "192.168.1.200", true),
    ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("::1", "[::1]", true), ("[::1]", "::1", true),
    ("fd00::/8", "fd12::3", true), ("fd00::/8", "fe80::1", false), (" a.example , b.example", "b.example", true),
    ("a.example b.example", "a.example", true),
    // F24: what curl, Go and Python understand.
    ("A.Example", "a.example", true), ("a.example.", "a.example", true), ("*.a.example", "a.example", true),
    ("a.example,", "a.example", true), (",,a.example", "a.example", true), ("a.example\tb.example", "b.example", true),
    ("a.example\nb.example", "b.example", true), ("x,*", "anything", true), ("*", "10.0.0.1", true),
    ("*a.example", "a.example", false), ("a.*", "a.example", false), ("[::1]", "[::1]", true),
    ("0:0:0:0:0:0:0:1", "::1", true),
    ("::1/128", "::1", true), ("fe80::/10", "febf::1", true), ("fe80::/10", "fec0::1", false),
    ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::ffff:10.0.0.1", "10.0.0.1", true), ("10.0.0.0/0", "11.0.0.0", true),
    ("10.0.0.0/-1", "10.0.0.0", false), ("10.0.0.0/+8", "10.0.0.0", false), ("10.0.0.0/", "10.0.0.0", false),
    ("10", "10.0.0.1", false), ("10.0.0", "10.0.0.1", false), ("http://a.example", "a.example", false),
    ("a.example/x", "a.example", false), ("<local>", "local", false), ("10.0.0.1-9", "10.0.0.5", false),
    ("a.example:80", "a.example", false), ("localhost", "localhost", true), ("localhost", "a.localhost", true),
  ])
  func `hosts that are reached directly`(list: String, host: String, isDirect: Bool) {
    #expect(ProxyExceptions(list: list).contains(host) == isDirect)
  }

  @Test(arguments: [
    ("a.example:80", "a.example", 80, true), ("a.example:80", "a.example", 8080, false),
    ("a.example:80", "b.a.example", 80, true), ("a.example", "a.example", 8080, true),
    (".a.example:80", "b.a.example", 80, true), ("10.0.0.1:80", "10.0.0.1", 80, true),
    ("10.0.0.1:80", "10.0.0.1", 81, false),
    ("[::1]:80", "::1", 80, true), ("[::1]:80", "::1", 81, false), ("::1", "::1", 81, true),
    ("a.example:0", "a.example", 80, false), ("a.example:99999", "a.example", 99999, false),
    ("a.example:", "a.example", 80, false),
    ("a.example:http", "a.example", 80, false), ("*", "a.example", 1, true),
  ])
  func `F24 an entry may name a port`(list: String, host: String, port: Int, isDirect: Bool) {
    #expect(ProxyExceptions(list: list).contains(host, port: port) == isDirect)
  }

  @Test(arguments: [
    "10.0.0.0/33", "10.0.0.0/x", "fd00::/129", "*a.example", "a.*", "http://a.example", "a.example/x", "<local>",
    "10",
    "10.0.0", "a.example:0", "a.example:99999", "a.example:", "..", "bücher.example", "a b", "10.0.0.0/8:80", "[::1",
    "1.2.3.4.5",
  ])
  func `F24 an entry that is not understood is said so, and hides no other`(entry: String) {
    var options = AFTransportOptions()
    #expect(options.proxyExceptionsNotUnderstood == [])
    options.proxy = .init(url: "http://p.example", exceptions: ["a.example", entry, "10.0.0.0/8"])
    #expect(options.proxyExceptionsNotUnderstood == [entry])
    let exceptions = ProxyExceptions(["a.example", entry, "10.0.0.0/8"])
    #expect(exceptions.contains("a.example") && exceptions.contains("10.1.1.1") && !exceptions.contains("c.example"))
  }

  @Test(arguments: [
    ("http://h/", "p1"), ("HTTP://h/", "p1"), ("http://https/", "p1"), ("https://h/", "p2"), ("HTTPS://h/", "p2"),
    ("hTTpS://u:p@h:80/?http://", "p2"), ("https://h:443", "p2"), ("httpS://[::1]/", "p2"),
  ])
  func `a URL's scheme, in any letter case, chooses its proxy`(url: String, host: String) {
    let dictionary: [AnyHashable: Any] = [
      "HTTPEnable": true, "HTTPProxy": "p1", "HTTPPort": 1, "HTTPSEnable": true, "HTTPSProxy": "p2", "HTTPSPort": 1,
    ]
    let fromDictionary = ProxySettings(dictionary, AFTransportOptions(), environment: [:])
    #expect(fromDictionary.route(to: url) == .proxy(url: "http://\(host):1", user: nil, password: nil))
    var options = AFTransportOptions()
    options.usesEnvironmentProxies = true
    let environment = ["http_proxy": "http://p1:1", "https_proxy": "http://p2:1"]
    let fromEnvironment = ProxySettings(nil, options, environment: environment)
    #expect(fromEnvironment.route(to: url) == .proxy(url: "http://\(host):1", user: nil, password: nil))
  }

  @Test func `the environment's proxies, as other programs read them`() {
    func route(_ environment: [String: String], _ url: String, dictionary: [AnyHashable: Any]? = nil) -> ProxyRoute {
      var options = AFTransportOptions()
      options.usesEnvironmentProxies = true
      return ProxySettings(dictionary, options, environment: environment).route(to: url)
    }
    func proxy(_ url: String, _ user: String? = nil, _ password: String? = nil) -> ProxyRoute {
      .proxy(url: url, user: user, password: password)
    }
    #expect(route([:], "http://a.example/") == .direct)
    #expect(route(["http_proxy": "p.example:3128"], "http://a.example/") == proxy("http://p.example:3128"))
    #expect(route(["http_proxy": "p.example:3128"], "https://a.example/") == .direct)
    // A CGI program's client can set this one.
    #expect(route(["HTTP_PROXY": "p.example:3128"], "http://a.example/") == .direct)
    #expect(route(["HTTPS_PROXY": "https://p.example"], "https://a.example/") == proxy("https://p.example"))
    #expect(
      route(["https_proxy": "http://me:p%40ss@p.example:1"], "https://a.example/")
        == proxy("http://p.example:1", "me", "p@ss"))
    #expect(
      route(["all_proxy": "socks5h://s.example:1080"], "http://a.example/") == proxy("socks5h://s.example:1080"))
    let both = ["all_proxy": "http://p.example:1", "no_proxy": "a.example, 10.0.0.0/8"]
    #expect(route(both, "http://www.a.example:81/x") == .direct)
    #expect(route(both, "https://10.1.2.3/") == .direct)
    #expect(route(both, "https://b.example/") == proxy("http://p.example:1"))
    // F24: what is empty is as if it were not there; schemes in any letter case.
    #expect(
      route(["http_proxy": "", "ALL_PROXY": "HTTP://P.example:1"], "http://a.example/") == proxy("http://P.example:1"))
    #expect(route(["https_proxy": "HTTPS://p.example"], "HTTPS://a.example/") == proxy("https://p.example"))
    #expect(
      route(["all_proxy": "http://p.example:1", "no_proxy": "", "NO_PROXY": "a.example"], "http://a.example/")
        == .direct)
    #expect(
      route(["all_proxy": "p.example:1", "NO_PROXY": "a.example:81"], "http://a.example/")
        == proxy("http://p.example:1"))
    #expect(route(["all_proxy": "p.example:1", "NO_PROXY": "a.example:81"], "http://a.example:81/") == .direct)
    #expect(route(["ALL_PROXY": "p.example:1"], "https://a.example/") == proxy("http://p.example:1"))
    #expect(route(["HTTPS_PROXY": "a:1", "https_proxy": "b:1"], "https://a.example/") == proxy("http://b:1"))
    // What the configuration names wins, with its own exceptions.
    let dictionary: [AnyHashable: Any] = ["HTTPEnable": 1, "HTTPProxy": "own.example", "HTTPPort": 2]
    #expect(route(both, "http://a.example/", dictionary: dictionary) == proxy("http://own.example:2"))
    #expect(route(both, "https://b.example/", dictionary: dictionary) == .direct)
  }

  @Test func `credentials in the URL of a proxy are taken out of it`() {
    var options = AFTransportOptions()
    options.proxy = .init(url: "https://me:secret@p.example:1", exceptions: ["a.example"])
    let settings = ProxySettings(nil, options)
    #expect(
      settings.route(to: "http://b.example/") == .proxy(url: "https://p.example:1", user: "me", password: "secret"))
    #expect(settings.route(to: "https://a.example/") == .direct)
    options.proxy?.user = "you"
    options.proxy?.password = "other"
    #expect(
      ProxySettings(nil, options).route(to: "http://b.example/")
        == .proxy(url: "https://p.example:1", user: "you", password: "other"))
  }
}
