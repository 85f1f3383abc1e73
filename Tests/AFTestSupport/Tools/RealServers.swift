package import Foundation

/// The servers of other people that `Scripts/test` starts: nginx, Apache httpd and httpbin.
///
/// A test that needs one fails where it is not there, so that nothing is skipped unseen.
package enum RealServers {
  /// nginx over HTTP/1.1; what it serves is in `Scripts/support/nginx.conf`.
  package static var nginx: URL { get throws { try url("AF_TEST_NGINX_HTTP") } }
  /// The same over TLS, HTTP/2 or HTTP/1.1.
  package static var nginxTLS: URL { get throws { try url("AF_TEST_NGINX_HTTPS") } }
  /// TLS; ends each connection after three requests, under HTTP/2 with GOAWAY.
  package static var nginxGoAway: URL { get throws { try url("AF_TEST_NGINX_GOAWAY") } }
  /// TLS; refuses who shows no client certificate, and answers with the certificate's subject.
  package static var nginxClientCertificate: URL { get throws { try url("AF_TEST_NGINX_CLIENT_CERTIFICATE") } }
  /// Apache httpd: WebDAV under `/digest/` and `/basic/`, for "user" with "passwd"; nonces under `/short/` are old after a second.
  package static var apache: URL { get throws { try url("AF_TEST_APACHE") } }
  /// What httpd was asked: method, path, status and user of each request.
  package static var apacheLog: URL { get throws { URL(fileURLWithPath: try value("AF_TEST_APACHE_LOG")) } }
  package static var httpbin: URL { get throws { try url("AF_TEST_HTTPBIN") } }
  /// TLS, HTTP/2 or HTTP/1.1; sends back what comes while it comes: `Scripts/support/echo.py`.
  package static var echo: URL { get throws { try url("AF_TEST_ECHO") } }
  /// The folder that nginx serves under `/files/`; tests may add files of their own.
  package static var nginxFiles: URL { get throws { URL(fileURLWithPath: try value("AF_TEST_NGINX_FILES")) } }
  /// The authority that nginx's certificate, and the client's, come from: the path of a PEM file.
  package static var authority: String { get throws { try value("AF_TEST_CA") } }
  package static var clientCertificate: String { get throws { try value("AF_TEST_CLIENT_CERTIFICATE") } }
  package static var clientKey: String { get throws { try value("AF_TEST_CLIENT_KEY") } }
  /// A Python that has httpbin, Werkzeug, Django and python-multipart.
  package static var python: String { get throws { try value("AF_TEST_PYTHON") } }

  private static func value(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
      throw TestServerFailure(messages: ["\(name) is not set: run the tests with Scripts/test"])
    }
    return value
  }

  private static func url(_ name: String) throws -> URL {
    guard let url = URL(string: try value(name)) else {
      throw TestServerFailure(messages: ["\(name) is not a URL"])
    }
    return url
  }
}
